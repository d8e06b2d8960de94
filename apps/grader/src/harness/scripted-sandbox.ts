import type { ExecRequest, ExecResult, Sandbox } from '@assay/sandbox';

const DONE: ExecResult = {
  exitCode: 0,
  output: Buffer.alloc(0),
  truncated: false,
  timedOut: false,
  outOfMemory: false,
  durationMs: 1,
};

/** A sandbox that answers each command as a test says; what it is silent about works. */
export function scriptedSandbox(
  answer: (command: string, request: ExecRequest) => Partial<ExecResult>,
  over: Partial<Sandbox> = {},
): Sandbox {
  const sandbox = {
    workdir: '/app',
    exec: (request: ExecRequest) => Promise.resolve({ ...DONE, ...answer(request.command.join(' '), request) }),
    putFile: () => Promise.resolve(),
    putParts: () => Promise.resolve(),
    ...over,
  };
  return sandbox as unknown as Sandbox;
}
