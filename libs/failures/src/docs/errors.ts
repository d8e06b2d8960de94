import { Blame } from '@assay/contracts';
import { FAILURE_CODES, type FailureCode } from '../codes';
import type { FailureEntry } from '../codes/failure-entry';
import { triedAgain } from '../tried-again';

const ABOUT: Readonly<Record<Blame, readonly [title: string, about: string]>> = {
  infra: [
    'infra: ours',
    'Engine, image, network, disk, provider, lease, configuration. Tried again until the tries of the run are spent, then the instance is INFRA_FAILED.',
  ],
  contract: [
    'contract: ours, between our own parts',
    'A message or an artifact is not what both sides agreed on. Treated as `infra`.',
  ],
  agent: ["agent: the agent's", 'Counted against it, as EXECUTION_ERROR.'],
  task: [
    "task: the task's, the suite's or the prediction's",
    'It cannot be judged: EXECUTION_ERROR for an instance. A submission is refused, and a waiting run fails.',
  ],
};

/** docs/errors.md: every failure code by blame, from FAILURE_CODES. */
export function errorsMarkdown(): string {
  return [
    '# Errors',
    '',
    '<!-- Made from libs/failures by `npm run docs`; a test fails when it is stale. -->',
    '',
    'A failure has a blame, which decides what follows, and a code, which tells what happened. A code with two blames',
    'stands under both. Two things are the same everywhere: a publication is tried until it stands or a newer run takes',
    'its place, and a process that cannot start says the code in its log and ends.',
    '',
    ...Blame.options.flatMap(chapter),
  ].join('\n');
}

function chapter(blame: Blame): string[] {
  const [title, about] = ABOUT[blame];
  const rows = codesOf(blame).map((code) => {
    const { meaning, operator }: FailureEntry = FAILURE_CODES[code];
    return `| \`${code}\` | ${meaning} | ${triedAgain(code, blame)} | ${operator} |`;
  });
  return [
    `## ${title}`,
    '',
    about,
    '',
    '| code | what happened | tried again | what to do |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ];
}

/** Sorted by name. */
function codesOf(blame: Blame): FailureCode[] {
  const codes = Object.keys(FAILURE_CODES) as FailureCode[];
  return codes.filter((code) => (FAILURE_CODES[code] as FailureEntry).blame.includes(blame)).sort();
}
