import type { TaskToml } from './task-toml.schema';

/** A Harbor task folder as read. Durations in seconds, sizes in MiB. Null: the task says nothing. */
export interface HarborTask {
  /** The folder's name, which is the instance id. */
  readonly id: string;
  readonly schemaVersion: string | null;
  /** The [task] table; null where it is absent. */
  readonly about: TaskToml['task'] | null;
  readonly source: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The text of instruction.md. */
  readonly instruction: string;
  readonly environment: {
    readonly image: { readonly kind: 'build' } | { readonly kind: 'reference'; readonly reference: string };
    readonly buildTimeoutSeconds: number;
    readonly env: Readonly<Record<string, string>>;
    readonly cpus: number | null;
    readonly memoryMb: number | null;
    readonly diskMb: number | null;
  };
  readonly agent: { readonly timeoutSeconds: number | null };
  readonly verifier: { readonly timeoutSeconds: number; readonly env: Readonly<Record<string, string>> };
  /** Null: the task has no solution/solve.sh. */
  readonly solution: { readonly env: Readonly<Record<string, string>> } | null;
  /** Keys of task.toml that no schema from 1.0 to 1.4 has, dotted, in file order. */
  readonly unknownKeys: readonly string[];
  /** What has no effect here, unknown keys included: one sentence each, beginning with the key. */
  readonly warnings: readonly string[];
}

/** Seconds that the agent has: the suite's limit, or the task's own where that is shorter. */
export function agentSeconds(task: HarborTask, limits: { readonly wallSeconds: number }): number {
  return Math.min(limits.wallSeconds, task.agent.timeoutSeconds ?? Number.POSITIVE_INFINITY);
}

/** Seconds that tests/test.sh has: the suite's limit, or the task's own where that is shorter. */
export function verifierSeconds(task: HarborTask, grader: { readonly timeoutSeconds: number }): number {
  return Math.min(grader.timeoutSeconds, task.verifier.timeoutSeconds);
}
