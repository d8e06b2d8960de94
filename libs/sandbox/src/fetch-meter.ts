import { AgentError } from '@assay/failures';
import type { FetchBounds } from './sandbox.port';
import { codeOf } from './system-error';

/** Counts what a fetch brings to the host and stops it at its bounds. */
export class FetchMeter {
  private bytes = 0;
  private entries = 0;

  constructor(private readonly bounds: FetchBounds) {}

  /** @throws AgentError `workspace_too_large`; the reason of the bounds' signal */
  count(size: number): void {
    this.bounds.signal?.throwIfAborted();
    this.bytes += size;
    this.entries += 1;
    if (this.bytes <= this.bounds.maxBytes && this.entries <= this.bounds.maxEntries) return;
    const { maxBytes, maxEntries } = this.bounds;
    throw new AgentError(`the workspace has more than ${maxBytes} bytes or ${maxEntries} entries`, {
      code: 'workspace_too_large',
      phase: 'extract',
      details: { maxBytes, maxEntries },
    });
  }

  /** Mode on the host: readable for us, and executable as it was; git keeps no more of it. */
  static hostMode(mode: number): number {
    return (mode & 0o100) === 0 ? 0o644 : 0o755;
  }
}

export function workspaceReplaced(path: string, kind: string): AgentError {
  return new AgentError(`the workspace ${path} is a ${kind}, not a folder`, {
    code: 'workspace_replaced',
    phase: 'extract',
    details: { path, kind },
  });
}

/** Names that never come out of a workspace: a repository's own folder, in whatever case git itself refuses it. */
export function staysBehind(name: string): boolean {
  return name.toLowerCase() === '.git';
}

/** Paths that the host cannot hold: too long, or two that are one to it. */
const UNHOLDABLE = new Set(['ENAMETOOLONG', 'EEXIST']);

/** Runs a copy out of a sandbox. @throws AgentError `workspace_unreadable` for paths that the host cannot hold */
export async function withoutOddPaths(copy: () => Promise<void>): Promise<void> {
  try {
    await copy();
  } catch (error) {
    const code = codeOf(error);
    if (code === null || !UNHOLDABLE.has(code)) throw error;
    throw workspaceUnreadable({ code }, error);
  }
}

export function workspaceUnreadable(details: Record<string, string>, cause?: unknown): AgentError {
  return new AgentError('the workspace has paths that this host cannot hold', {
    code: 'workspace_unreadable',
    phase: 'extract',
    details,
    cause,
  });
}
