import type { Files } from './grading-bench';

const TEST = `#!/bin/bash
cd "\${APP_DIR:-/app}" || exit 1
echo "testing $(cat greeting.txt)"
reward=0
grep -qx 'hello world' greeting.txt && reward=1
echo "$reward" > "\${LOGS_DIR:-/logs}/verifier/reward.txt"
`;

/** A task whose greeting.txt must become "hello world"; files may be replaced or added. */
export function greetingTask(files: Files = {}): Files {
  return {
    'task.toml': 'schema_version = "1.1"\n[verifier]\ntimeout_sec = 60.0\n',
    'instruction.md': 'Greet the whole world.\n',
    'environment/Dockerfile': 'ARG BASE_IMAGE=node:22-bookworm\nFROM ${BASE_IMAGE}\nWORKDIR /app\nCOPY app/ /app/\n',
    'environment/app/greeting.txt': 'hello\n',
    'environment/app/old.txt': 'old\n',
    'tests/test.sh': TEST,
    ...files,
  };
}

/** The same, with a test.sh that only does this (bash). */
export function taskWithTest(...lines: string[]): Files {
  const head = ['#!/bin/bash', 'v="${LOGS_DIR:-/logs}/verifier"'];
  return greetingTask({ 'tests/test.sh': [...head, ...lines, ''].join('\n') });
}

/** Resolves the task. */
export const GOOD_PATCH = `diff --git a/greeting.txt b/greeting.txt
index ce01362..3b18e51 100644
--- a/greeting.txt
+++ b/greeting.txt
@@ -1 +1 @@
-hello
+hello world
`;

/** Applies, and resolves nothing. */
export const WRONG_PATCH = GOOD_PATCH.replace('+hello world', '+hello moon').replace('..3b18e51', '..0000001');

/** Is for another tree. */
export const FOREIGN_PATCH = GOOD_PATCH.replace('-hello\n', '-good morning\n');
