import { spawn } from 'node:child_process';

/** Variables that say how a registry is reached; nothing else of the executor's environment goes to npm or pip. */
const PASSED =
  /^(PATH|HOME|TMPDIR|LANG|npm_config_.*|NPM_CONFIG_.*|PIP_.*|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|XDG_(CONFIG|CACHE)_HOME)$/;

const MOST_OUTPUT = 16_777_216;

export interface CommandAnswer {
  /** Null: it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs npm or pip with the few variables it needs. Aborting kills its whole group. */
export function registryCommand(
  command: string,
  args: readonly string[],
  { cwd, signal }: { readonly cwd?: string; readonly signal: AbortSignal },
): Promise<CommandAnswer> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name)));
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const out = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8');
      child[stream].on('data', (text: string) => {
        if (out[stream].length < MOST_OUTPUT) out[stream] += text;
      });
    }
    const kill = (): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended in the meantime.
      }
    };
    signal.addEventListener('abort', kill, { once: true });
    child.once('error', (error) => {
      signal.removeEventListener('abort', kill);
      reject(error);
    });
    child.once('close', (code) => {
      signal.removeEventListener('abort', kill);
      resolve({ code, ...out });
    });
  });
}
