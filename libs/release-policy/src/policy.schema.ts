import { InstanceId, Repository } from '@assay/contracts';
import { z } from 'zod';
import { patternProblem } from './patterns/match-pattern';

/** `^…$` in the language of matchesPattern. */
const Pattern = z.string().superRefine((text, context) => {
  const message = patternProblem(text);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'expected 1 to 100 characters of A-Z a-z 0-9 . _ -');
const suite = name.describe('the suite');
const limit = z.int().positive().max(100_000).nullable();
const githubId = z.string().regex(/^[1-9][0-9]{0,19}$/, "expected GitHub's number, in quotes");

/** What follows a suite's publication: another suite with a score of its own. */
const ChainStep = z
  .strictObject({
    suite: suite.describe('the suite that runs once the one before it was published'),
    limit: limit.default(null).describe('its first so many instances; null: all'),
    instanceId: InstanceId.nullable().default(null).describe('this instance alone; needs `limit: 1`'),
  })
  .refine(oneIfNamed, { path: ['instanceId'], error: 'expected null unless limit is 1' });

function oneIfNamed(step: { instanceId: string | null; limit: number | null }): boolean {
  return step.instanceId === null || step.limit === 1;
}

const ReleaseRule = z
  .strictObject({
    name: name.describe('how receipts and logs call the rule'),
    event: z.literal('release').describe('a release that was published'),
    prerelease: z.boolean().describe('whether GitHub must call the release a prerelease'),
    tag: Pattern.describe('its tags, as an anchored pattern'),
    suite,
    limit: limit.default(null).describe('the first so many instances; null: all'),
    instanceId: InstanceId.nullable().default(null).describe('this instance alone; needs `limit: 1`'),
    chain: z.array(ChainStep).default([]).describe('what runs after it'),
  })
  .refine(oneIfNamed, { path: ['instanceId'], error: 'expected null unless limit is 1' });

const DispatchRule = z.strictObject({
  name: name.describe('how receipts and logs call the rule'),
  event: z.literal('dispatch').describe('what a person starts: workflow_dispatch, or `assay submit`'),
});

const Choices = {
  limits: z.array(z.int().positive()).min(1).describe('the limits that may be asked for'),
  limit: z.int().positive().describe('where none is asked for; one of `limits`'),
  instanceId: InstanceId.nullable()
    .default(null)
    .describe('where the limit is 1 and none is asked for; null: the first'),
};

const Dispatch = z
  .strictObject({
    suites: z.array(name).min(1).describe('the suites that may be asked for'),
    suite: name.describe('where none is asked for; one of `suites`'),
    ...Choices,
    chain: z
      .strictObject({ suite, ...Choices })
      .refine(limitIsOffered, { path: ['limit'], error: 'expected one of limits' })
      .nullable()
      .default(null)
      .describe('what runs after it; null: nothing'),
    unchained: z.array(name).default([]).describe('suites of `suites` that nothing follows'),
    targets: z
      .array(Pattern)
      .default([])
      .describe('prereleases, beside those of the rules, that such a run may write to'),
  })
  .refine(limitIsOffered, { path: ['limit'], error: 'expected one of limits' })
  .refine(({ suites, suite: byDefault }) => suites.includes(byDefault), {
    path: ['suite'],
    error: 'expected one of suites',
  });

function limitIsOffered(choices: { limits: number[]; limit: number }): boolean {
  return choices.limits.includes(choices.limit);
}

const Override = z.strictObject({
  key: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'expected 1 to 64 letters, digits and hyphens')
    .describe("the line's first word, before the colon; its case matters"),
  pattern: Pattern.describe('what must follow the colon and white space, to the end of the line'),
});

const RepositoryPolicy = z
  .strictObject({
    name: Repository.describe('`owner/name`; GitHub and the policy look away from its case'),
    package: z.strictObject({
      registry: z.enum(['npm', 'none']).describe('where the version under test must be before a run starts'),
      name: z.string().min(1).max(214).describe("the package's name there; with `none`, how people read it"),
    }),
    rules: z
      .array(z.discriminatedUnion('event', [DispatchRule, ReleaseRule]))
      .min(1)
      .describe('the first that matches wins; a release that none matches is skipped'),
    override: Override.nullable()
      .default(null)
      .describe("a line in a prerelease's notes that names what is evaluated in place of the tag; null: none"),
    dispatch: Dispatch.nullable().default(null).describe('what a person may start; null: nothing'),
  })
  .superRefine((repository, context) => {
    const refuse = (path: (string | number)[], message: string) => {
      context.addIssue({ code: 'custom', path, message });
    };
    repeated(repository.rules.map((rule) => rule.name)).forEach((index) => {
      refuse(['rules', index, 'name'], 'expected a name that no rule before it has');
    });
    const asks = repository.rules.findIndex((rule) => rule.event === 'dispatch');
    if (asks >= 0 && repository.dispatch === null) {
      refuse(['rules', asks, 'event'], 'expected `dispatch` beside `rules`, to say what may be started');
    }
  });

const RepositoryAccess = z.strictObject({
  name: Repository.describe('`owner/name`'),
  id: githubId.describe("GitHub's id of the repository (`repository_id`), in quotes"),
  ownerId: githubId.describe("GitHub's id of its owner (`repository_owner_id`), in quotes"),
  workflows: z
    .array(z.string().regex(/^\.github\/workflows\/[A-Za-z0-9._-]+\.ya?ml$/, 'expected .github/workflows/<name>.yml'))
    .min(1)
    .describe('the workflow files that may submit, as paths in the repository'),
  events: z
    .array(z.enum(['release', 'workflow_dispatch']))
    .min(1)
    .describe('the events they may be started by'),
  refs: z.array(Pattern).min(1).describe('the refs they may run on, as anchored patterns over `refs/…`'),
});

export const AccessPolicy = z.strictObject({
  repositories: z
    .array(RepositoryAccess)
    .default([])
    .describe('whose tokens are believed; nobody else submits by Action'),
});
export type AccessPolicy = z.infer<typeof AccessPolicy>;

export const PublicationMode = z.enum(['off', 'dry-run', 'prerelease', 'all']);
export type PublicationMode = z.infer<typeof PublicationMode>;

/** The policy file. docs/release-policy.md holds its fields, and a test compares them. */
export const ReleasePolicy = z
  .strictObject({
    schema: z.literal('assay.policy/1').describe('the format of the file'),
    publication: PublicationMode.default('prerelease').describe(
      'where results may be written: nowhere; nowhere, but the change is shown; prereleases; stable releases too',
    ),
    access: AccessPolicy.prefault({}),
    repositories: z.array(RepositoryPolicy).min(1).describe('the repositories whose releases are evaluated'),
  })
  .superRefine((policy, context) => {
    for (const [list, path] of [
      [policy.repositories, ['repositories']],
      [policy.access.repositories, ['access', 'repositories']],
    ] as const) {
      repeated(list.map((repository) => repository.name.toLowerCase())).forEach((index) => {
        const message = 'expected a repository that is not listed before it';
        context.addIssue({ code: 'custom', path: [...path, index, 'name'], message });
      });
    }
  });
export type ReleasePolicy = z.infer<typeof ReleasePolicy>;
export type RepositoryPolicy = z.infer<typeof RepositoryPolicy>;
export type Rule = RepositoryPolicy['rules'][number];
export type ReleaseRule = z.infer<typeof ReleaseRule>;

/** Indices of what stands in the list before. */
function repeated(names: readonly string[]): number[] {
  return names.flatMap((each, index) => (names.indexOf(each) < index ? [index] : []));
}
