import { isRef, overriddenRef, packageVersionOf } from './evaluated-ref';
import { planByHand } from './plan-by-hand';
import type { PublicationMode, ReleasePolicy, RepositoryPolicy } from './policy.schema';
import { type ReleaseFacts, repositoryPolicy, ruleForRelease, shownTag } from './rules';

export interface DispatchFacts {
  /** `owner/name`. */
  readonly repository: string;
  /** `manual`: by hand, without a workflow (`assay submit`); it is decided as workflow_dispatch is. */
  readonly event: 'release' | 'workflow_dispatch' | 'manual';
  /** As GitHub tells it now; null: there is none, which only a manual run may do without. */
  readonly release: (ReleaseFacts & { readonly body: string }) | null;
  readonly inputs: DispatchInputs;
}

/** What a person chose; of no account for event `release`. */
export interface DispatchInputs {
  readonly evaluatedRef?: string | undefined;
  readonly suite?: string | undefined;
  readonly limit?: number | undefined;
  readonly instanceId?: string | undefined;
  readonly chainLimit?: number | undefined;
  readonly chainInstanceId?: string | undefined;
}

/** A suite, how many of its instances (null: all), or which one. */
export interface PlannedSuite {
  readonly suite: string;
  readonly limit: number | null;
  readonly instanceId: string | null;
}

export interface DispatchPlan extends PlannedSuite {
  /** What runs after it, each once the one before it was published. */
  readonly chain: readonly PlannedSuite[];
  /** The ref under test: the release's tag, or on a prerelease another. */
  readonly evaluatedRef: string;
  /** The version of the package that this ref names, without a `v`. */
  readonly packageVersion: string;
  readonly publication: PublicationMode;
}

export type DispatchDecision =
  | { readonly decision: 'run'; readonly rule: string; readonly plan: DispatchPlan }
  | { readonly decision: 'skip'; readonly rule: string | null; readonly reason: string };

/**
 * The gate: whether an event starts a run, and which. The first rule that matches wins; what none matches is skipped
 * with the reason, which is an answer and no error.
 */
export function decideDispatch(facts: DispatchFacts, policy: ReleasePolicy): DispatchDecision {
  const repository = repositoryPolicy(policy, facts.repository);
  if (repository === null) return skip(null, `the policy has no repository ${shownTag(facts.repository)}`);
  const unfit = unfitRelease(facts);
  if (unfit !== null) return skip(null, unfit);
  const chosen = choose(facts, repository);
  if ('reason' in chosen) return skip(chosen.rule, chosen.reason);
  const ref = evaluatedRef(facts, repository);
  if ('reason' in ref) return skip(chosen.rule, ref.reason);
  const plan = { ...chosen.suites, ...ref, publication: policy.publication };
  return { decision: 'run', rule: chosen.rule, plan };
}

function skip(rule: string | null, reason: string): DispatchDecision {
  return { decision: 'skip', rule, reason };
}

/** Why nothing may run for this release, whatever the rules say. */
function unfitRelease({ event, release }: DispatchFacts): string | null {
  if (release === null) return event === 'manual' ? null : 'there is no release of this tag';
  if (!isRef(release.tag)) return `the tag ${shownTag(release.tag)} is not one that a release under test may have`;
  return release.draft ? `the release ${shownTag(release.tag)} is a draft` : null;
}

type Chosen =
  | { readonly rule: string; readonly suites: PlannedSuite & Pick<DispatchPlan, 'chain'> }
  | { readonly rule: string | null; readonly reason: string };

function choose({ event, release, inputs }: DispatchFacts, repository: RepositoryPolicy): Chosen {
  if (event !== 'release') {
    const rule = repository.rules.find((each) => each.event === 'dispatch');
    if (rule === undefined || repository.dispatch === null) {
      return { rule: null, reason: `no rule of ${repository.name} takes runs that a person starts` };
    }
    const planned = planByHand(inputs, repository.dispatch);
    return 'reason' in planned ? { rule: rule.name, ...planned } : { rule: rule.name, suites: planned };
  }
  const rule = release === null ? null : ruleForRelease(repository, release);
  if (rule !== null) {
    const { suite, limit, instanceId, chain } = rule;
    return { rule: rule.name, suites: { suite, limit, instanceId, chain } };
  }
  const kind = release?.prerelease === true ? 'prerelease' : 'stable release';
  return { rule: null, reason: `no rule of ${repository.name} takes the ${kind} ${shownTag(release?.tag ?? '')}` };
}

type Evaluated = Pick<DispatchPlan, 'evaluatedRef' | 'packageVersion'> | { readonly reason: string };

/** On a prerelease the notes outrank the input, which outranks the tag; a stable release is what its tag says. */
function evaluatedRef({ event, release, inputs }: DispatchFacts, { override }: RepositoryPolicy): Evaluated {
  const asked = event === 'release' ? undefined : inputs.evaluatedRef;
  const noted = release?.prerelease === true ? overriddenRef(release.body, override) : null;
  const ref = noted ?? asked ?? release?.tag;
  if (ref === undefined) return { reason: 'there is neither a release nor a ref to evaluate' };
  if (release !== null && !release.prerelease && ref !== release.tag) {
    return {
      reason: `on a stable release the evaluated ref must be its tag ${shownTag(release.tag)}, got ${shownTag(ref)}`,
    };
  }
  const packageVersion = isRef(ref) ? packageVersionOf(ref) : null;
  if (packageVersion === null) {
    const line = override === null ? '' : `; a prerelease names one by a line "${override.key}: v1.2.3" in its notes`;
    return { reason: `the evaluated ref ${shownTag(ref)} names no version such as v1.2.3${line}` };
  }
  return { evaluatedRef: ref, packageVersion };
}
