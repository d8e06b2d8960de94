import { readFileSync } from 'node:fs';
import { ActionFailure } from './failure';
import { inputOf } from './settings';

/** The body of `POST /v1/releases`. */
export interface ReleaseRequest {
  readonly schemaVersion: 'assay.release-request/1';
  readonly event: 'release' | 'workflow_dispatch';
  /** `owner/name`. */
  readonly repository: string;
  readonly releaseTag: string;
  readonly evaluatedRef?: string;
  readonly suite?: string;
  readonly limit?: number;
  readonly instanceId?: string;
  readonly chainLimit?: number;
  readonly chainInstanceId?: string;
  readonly githubRunUrl: string;
}

/** What the event of this workflow run asks for. */
export type Asked =
  | {
      readonly kind: 'submit';
      readonly key: string;
      readonly request: ReleaseRequest;
      readonly ignored: readonly string[];
    }
  | { readonly kind: 'skip'; readonly what: string; readonly reason: string };

const CHOICES = ['evaluated-ref', 'suite', 'limit', 'instance-id', 'chain-limit', 'chain-instance-id'] as const;

/**
 * The event from the runner's environment and event file.
 * @throws ActionFailure if the environment is not a runner's, or an input is wrong
 */
export function readEvent(env: NodeJS.ProcessEnv): Asked {
  const event = wanted(env, 'GITHUB_EVENT_NAME', /^[a-z_]+$/);
  const about = {
    schemaVersion: 'assay.release-request/1' as const,
    repository: wanted(env, 'GITHUB_REPOSITORY', /^[A-Za-z0-9-]+\/[A-Za-z0-9._-]+$/),
    githubRunUrl: runUrl(env),
  };
  if (event === 'workflow_dispatch') {
    const releaseTag = inputOf(env, 'release-tag');
    if (releaseTag === undefined) throw new ActionFailure('release-tag: expected the tag of a release, got nothing');
    return {
      kind: 'submit',
      key: keyOf(env),
      request: { ...about, event, releaseTag, ...choicesOf(env) },
      ignored: [],
    };
  }
  if (event !== 'release') return { kind: 'skip', what: 'non-release event', reason: `the event is ${event}` };
  const { action, release } = readPayload(env);
  if (action !== 'published') return { kind: 'skip', what: release.tag, reason: `the release was ${action}` };
  if (release.draft) return { kind: 'skip', what: release.tag, reason: 'the release is a draft' };
  const named = inputOf(env, 'release-tag');
  if (named !== undefined && named !== release.tag) {
    throw new ActionFailure(`release-tag: expected none, or that of the event, ${release.tag}, got ${named}`);
  }
  const ignored = CHOICES.filter((name) => inputOf(env, name) !== undefined);
  return { kind: 'submit', key: keyOf(env), request: { ...about, event, releaseTag: release.tag }, ignored };
}

/**
 * The same for every attempt of one workflow run, so that a re-run finds the run that it started; another workflow run
 * has another.
 */
function keyOf(env: NodeJS.ProcessEnv): string {
  return `gh-${wanted(env, 'GITHUB_REPOSITORY_ID', /^\d+$/)}-${wanted(env, 'GITHUB_RUN_ID', /^\d+$/)}`;
}

function runUrl(env: NodeJS.ProcessEnv): string {
  const server = wanted(env, 'GITHUB_SERVER_URL', /^https?:\/\/[^\s/]+$/);
  return `${server}/${env['GITHUB_REPOSITORY'] ?? ''}/actions/runs/${wanted(env, 'GITHUB_RUN_ID', /^\d+$/)}`;
}

function choicesOf(env: NodeJS.ProcessEnv): Partial<ReleaseRequest> {
  const texts = {
    evaluatedRef: 'evaluated-ref',
    suite: 'suite',
    instanceId: 'instance-id',
    chainInstanceId: 'chain-instance-id',
  };
  const numbers = { limit: 'limit', chainLimit: 'chain-limit' };
  const entries: [string, string | number | undefined][] = [
    ...Object.entries(texts).map(([field, name]): [string, string | undefined] => [field, inputOf(env, name)]),
    ...Object.entries(numbers).map(([field, name]): [string, number | undefined] => [field, countOf(env, name)]),
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function countOf(env: NodeJS.ProcessEnv, name: string): number | undefined {
  const text = inputOf(env, name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new ActionFailure(`${name}: expected a whole number from 1, got ${JSON.stringify(text)}`);
}

interface Payload {
  readonly action: string;
  readonly release: { readonly tag: string; readonly draft: boolean };
}

function readPayload(env: NodeJS.ProcessEnv): Payload {
  const file = wanted(env, 'GITHUB_EVENT_PATH', /./);
  let payload: unknown;
  try {
    payload = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ActionFailure(`cannot read the event file ${file}: ${(error as Error).message}`);
  }
  const { action, release } = (payload ?? {}) as {
    action?: unknown;
    release?: { tag_name?: unknown; draft?: unknown };
  };
  if (typeof action !== 'string' || typeof release?.tag_name !== 'string') {
    throw new ActionFailure(`the event file ${file} tells of no release: expected action and release.tag_name`);
  }
  return { action, release: { tag: release.tag_name, draft: release.draft === true } };
}

function wanted(env: NodeJS.ProcessEnv, name: string, form: RegExp): string {
  const value = env[name] ?? '';
  if (value === '') throw new ActionFailure(`${name} is not set: is this a step of GitHub Actions?`);
  if (!form.test(value)) throw new ActionFailure(`${name}: expected ${String(form)}, got ${JSON.stringify(value)}`);
  return value;
}
