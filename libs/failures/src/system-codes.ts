import type { FailureCode } from './codes';

/** Node's system error codes (`errno(3)`, `libuv`) under the names that a person looks for. */
const BY_SYSTEM_CODE: Readonly<Record<string, FailureCode>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'disk_read_only',
  EIO: 'disk_error',
  ENOMEM: 'out_of_memory',
  EMFILE: 'too_many_open_files',
  ENFILE: 'too_many_open_files',
  EAGAIN: 'too_many_processes',
  EACCES: 'permission_denied',
  EPERM: 'permission_denied',
  ENOENT: 'file_missing',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_lost',
  ECONNABORTED: 'connection_lost',
  EPIPE: 'connection_lost',
  UND_ERR_SOCKET: 'connection_lost',
  ETIMEDOUT: 'timed_out',
  ESOCKETTIMEDOUT: 'timed_out',
  UND_ERR_CONNECT_TIMEOUT: 'timed_out',
  UND_ERR_HEADERS_TIMEOUT: 'timed_out',
  UND_ERR_BODY_TIMEOUT: 'timed_out',
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  EHOSTUNREACH: 'network_unreachable',
  ENETUNREACH: 'network_unreachable',
  ENETDOWN: 'network_unreachable',
  EADDRINUSE: 'port_taken',
  ABORT_ERR: 'aborted',
};

/** PostgreSQL's SQLSTATE values (its manual, appendix A) that say more than that a statement failed. */
const BY_SQL_STATE: readonly (readonly [RegExp, FailureCode])[] = [
  [/^53100$/, 'disk_full'],
  [/^53200$/, 'out_of_memory'],
  [/^53300$/, 'too_many_connections'],
  [/^(08...|57P0[1-5])$/, 'database_unavailable'],
  [/^(40001|40P01)$/, 'database_conflict'],
];

/** What one link of an error's cause chain offers as evidence. */
export interface Evidence {
  readonly code: string | null;
  readonly syscall: string | null;
  readonly name: string;
  readonly message: string;
}

/**
 * The failure code that one error tells, or null when it tells none. The message counts only for a full disk: the
 * Docker engine passes `no space left on device` on in the text of an HTTP 500 alone.
 */
export function tellingCode({ code, syscall, name, message }: Evidence): FailureCode | null {
  if (code === 'ENOENT' && syscall === 'connect') return 'engine_unavailable';
  if (code === 'ENOENT' && syscall?.startsWith('spawn') === true) return 'program_missing';
  const known = code === null ? undefined : BY_SYSTEM_CODE[code];
  if (known !== undefined) return known;
  const state = code === null ? undefined : BY_SQL_STATE.find(([pattern]) => pattern.test(code));
  if (state !== undefined) return state[1];
  if (/no space left on device/i.test(message)) return 'disk_full';
  if (name === 'TimeoutError') return 'timed_out';
  return name === 'AbortError' ? 'aborted' : null;
}
