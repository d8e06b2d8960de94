import { join } from 'node:path';
import { MARKER } from './strays';

/** Harbor's folders below the root of a process sandbox. */
export function standardPaths(rootDir: string): { tests: string; solution: string; logs: string } {
  return { tests: join(rootDir, 'tests'), solution: join(rootDir, 'solution'), logs: join(rootDir, 'logs') };
}

/**
 * The whole environment of a command, an allow-list: nothing of the executor's own environment but PATH goes in, so no
 * key, token or address of a service can.
 */
export function allowedEnv(rootDir: string, workdir: string, hostPath: string): Record<string, string> {
  const { tests, solution, logs } = standardPaths(rootDir);
  return {
    PATH: hostPath,
    HOME: join(rootDir, 'home'),
    TMPDIR: join(rootDir, 'tmp'),
    LANG: 'C.UTF-8',
    TESTS_DIR: tests,
    SOLUTION_DIR: solution,
    LOGS_DIR: logs,
    APP_DIR: workdir,
  };
}

/** Names that a task's own ENV lines may not change: they say where the sandbox is. */
export const RESERVED_NAMES = ['HOME', 'TMPDIR', 'TESTS_DIR', 'SOLUTION_DIR', 'LOGS_DIR', 'APP_DIR', MARKER] as const;
