import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';

/** The demo's policy for another suite than the demo's: a policy names no suite that is not there. */
export function demoPolicy(root: string, suite: string): string {
  const document = parseDocument(readFileSync(join(root, 'examples/policies/demo.policy.yaml'), 'utf8'));
  const repository = ['repositories', 0];
  document.setIn([...repository, 'rules', 0, 'suite'], suite);
  document.setIn([...repository, 'dispatch', 'suites'], [suite]);
  document.setIn([...repository, 'dispatch', 'suite'], suite);
  return document.toString();
}
