import { PROJECT_ROOT } from '@assay/testing';
import { execFileSync } from 'node:child_process';

interface Complaint {
  readonly ruleId: string | null;
  readonly message: string;
}

const ILLEGAL = [
  ['contracts know nothing but zod', 'libs/contracts/src/ids.ts', "import { Database } from '@assay/persistence';"],
  ['rules are pure', 'libs/scoring/src/index.ts', "import { createLogger } from '@assay/telemetry';"],
  ['rules load no framework', 'libs/lifecycle/src/index.ts', "import { Injectable } from '@nestjs/common';"],
  ['executors never open the database', 'apps/executor/src/main.ts', "import { Database } from '@assay/persistence';"],
  [
    'the broker is behind libs/messaging',
    'apps/grader/src/main.ts',
    "import { connect } from '@nats-io/transport-node';",
  ],
  ['the engine is behind libs/sandbox', 'apps/executor/src/main.ts', "import Docker from 'dockerode';"],
  ['GitHub is behind libs/github', 'apps/publisher/src/main.ts', "import { Octokit } from '@octokit/rest';"],
] as const;

const LEGAL = ['libs/persistence/src/index.ts', "import { RunId } from '@assay/contracts';"] as const;

/** What the linter says of module boundaries when each file holds its code. */
function boundaryComplaints(texts: readonly (readonly [file: string, code: string])[]): string[][] {
  const input = JSON.stringify(texts.map(([file, code]) => ({ file, code: `${code}\n` })));
  const output = execFileSync(process.execPath, ['tools/check/lint-texts.mjs'], {
    cwd: PROJECT_ROOT,
    input,
    env: { PATH: process.env['PATH'], NX_DAEMON: 'false' },
    encoding: 'utf8',
  });
  return (JSON.parse(output) as Complaint[][]).map((complaints) =>
    complaints.filter(({ ruleId }) => ruleId === '@nx/enforce-module-boundaries').map(({ message }) => message),
  );
}

describe('module boundaries', () => {
  let complaints: string[][] = [];
  beforeAll(() => {
    complaints = boundaryComplaints([...ILLEGAL.map(([, file, code]) => [file, code] as const), LEGAL]);
  }, 120_000);

  test.each(ILLEGAL.map(([rule], index) => [rule, index] as const))(
    'an import that breaks "%s" is refused',
    (_, index) => {
      expect(complaints[index]).toHaveLength(1);
    },
  );

  test('a legal import is not complained of', () => {
    expect(complaints[ILLEGAL.length]).toEqual([]);
  });
});
