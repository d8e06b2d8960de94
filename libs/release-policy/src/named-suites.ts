import type { ReleasePolicy, RepositoryPolicy } from './policy.schema';

/** A suite that a policy names, and where. */
export interface NamedSuite {
  readonly name: string;
  readonly path: (string | number)[];
}

/** Every suite that a run may come to by this policy, in the order of the file. */
export function namedSuites(policy: ReleasePolicy): NamedSuite[] {
  return policy.repositories.flatMap((repository, at) =>
    [...ofRules(repository), ...ofDispatch(repository)].map(({ name, path }) => ({
      name,
      path: ['repositories', at, ...path],
    })),
  );
}

function ofRules({ rules }: RepositoryPolicy): NamedSuite[] {
  return rules.flatMap((rule, at) => {
    if (rule.event === 'dispatch') return [];
    const chain = rule.chain.map(({ suite }, step) => ({ name: suite, path: ['rules', at, 'chain', step, 'suite'] }));
    return [{ name: rule.suite, path: ['rules', at, 'suite'] }, ...chain];
  });
}

/** The default is one of `suites`, and `unchained` names none that is not there. */
function ofDispatch({ dispatch }: RepositoryPolicy): NamedSuite[] {
  if (dispatch === null) return [];
  const { suites, chain, unchained } = dispatch;
  return [
    ...suites.map((name, at) => ({ name, path: ['dispatch', 'suites', at] })),
    ...(chain === null ? [] : [{ name: chain.suite, path: ['dispatch', 'chain', 'suite'] }]),
    ...unchained.map((name, at) => ({ name, path: ['dispatch', 'unchained', at] })),
  ];
}
