import { PROJECT_ROOT } from '@assay/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { parse } from 'yaml';

interface Workflow {
  readonly on: {
    readonly release: { readonly types: readonly string[] };
    readonly workflow_dispatch: { readonly inputs: Readonly<Record<string, { default?: string; options?: string[] }>> };
  };
  readonly permissions: object;
  readonly concurrency: object;
  readonly jobs: {
    readonly dispatch: {
      readonly if: string;
      readonly 'timeout-minutes': number;
      readonly permissions: object;
      readonly steps: readonly { readonly run?: string; readonly with: Readonly<Record<string, string>> }[];
    };
  };
}

const read = (file: string) => readFileSync(join(PROJECT_ROOT, file), 'utf8');
const workflow = parse(read('examples/consumer-workflow/release-benchmark.yml')) as Workflow;
const { dispatch } = workflow.jobs;

interface Release {
  readonly tag_name: string;
  readonly prerelease: boolean;
  readonly draft: boolean;
}

/** The `if` of the job, by GitHub's rules: texts are compared without their case. */
function runs(event_name: string, release: Partial<Release> = {}, repository = 'QwenLM/qwen-code'): boolean {
  const startsWith = (text: string, start: string) => text.toLowerCase().startsWith(start.toLowerCase());
  const endsWith = (text: string, end: string) => text.toLowerCase().endsWith(end.toLowerCase());
  const event = { release: { prerelease: false, draft: false, ...release } };
  return runInNewContext(dispatch.if, { github: { event_name, repository, event }, startsWith, endsWith }) as boolean;
}

test.each([
  ['v0.23.0', false],
  ['v1.0.0', false],
  ['dsw-eas-smoke-20260812-281542bfdc', true],
  ['dsw-eas-tb-smoke-20260820-r2', true],
  ['dsw-eas-full-20260821-r1', true],
])('a published %s (prerelease: %s) is handed over', (tag_name, prerelease) => {
  expect(runs('release', { tag_name, prerelease })).toBe(true);
});

test.each([
  ['v0.21.15', false],
  ['v1.2.10', false],
  ['v1.2.0', true],
  ['v0.23.0-preview.0', true],
  ['v0.20.0-nightly.20260722.b98306b7e', true],
  ['sdk-typescript-v0.1.0', false],
  ['desktop-v1.2.0', false],
  ['cua-driver-rs-v0.1.0', false],
  ['pr6633-screenshots', false],
  ['dsw-manual-poc-20260727-1', true],
  ['dsw-swe-full-poc-1', true],
  ['dsw-eas-net-smoke-1', true],
  ['dsw-eas-full-20260821-r1', false],
])('a published %s (prerelease: %s) costs no runner', (tag_name, prerelease) => {
  expect(runs('release', { tag_name, prerelease })).toBe(false);
});

test('a draft, a fork and another event cost no runner; a dispatch runs', () => {
  const stable = { tag_name: 'v1.2.0' };
  expect(runs('release', stable)).toBe(true);
  expect(runs('release', { ...stable, draft: true })).toBe(false);
  expect(runs('release', stable, 'someone/qwen-code')).toBe(false);
  expect(runs('workflow_dispatch', {}, 'someone/qwen-code')).toBe(false);
  expect(runs('push', stable)).toBe(false);
  expect(runs('workflow_dispatch')).toBe(true);
});

test('it listens to published releases alone, so that a written result starts nothing', () => {
  expect(workflow.on.release.types).toEqual(['published']);
});

test('a dispatch has the choices and defaults of the pipeline that it replaces', () => {
  const { inputs } = workflow.on.workflow_dispatch;
  const defaults = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default]));
  expect(defaults).toEqual({
    release_tag: undefined,
    qwen_release_tag: undefined,
    suite: 'eas_smoke',
    instance_limit: '1',
    instance_id: 'sympy__sympy-20590',
    terminal_bench_limit: '1',
    terminal_bench_instance_id: 'regex-log',
  });
  expect(inputs['instance_limit']?.options).toEqual(['1', '5', '500']);
  expect(inputs['terminal_bench_limit']?.options).toEqual(['1', '89']);
});

test('it may read the repository and ask for an OIDC token, and ends soon, one at a time, uncancelled', () => {
  expect(workflow.permissions).toEqual({});
  expect(dispatch.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  expect(dispatch['timeout-minutes']).toBe(15);
  expect(workflow.concurrency).toMatchObject({ 'cancel-in-progress': false });
});

test('it hands every choice to an input of the Action, and none to a shell', () => {
  const action = parse(read('.github/actions/dispatch/action.yml')) as { inputs: Readonly<Record<string, unknown>> };
  expect(dispatch.steps.filter(({ run }) => run !== undefined)).toEqual([]);
  const given = dispatch.steps[0]?.with ?? {};
  expect(Object.keys(given).filter((name) => !(name in action.inputs))).toEqual([]);
  const chosen = Object.values(given).flatMap((value) => /inputs\.(\w+)/.exec(value)?.[1] ?? []);
  expect(chosen.sort()).toEqual(Object.keys(workflow.on.workflow_dispatch.inputs).sort());
});
