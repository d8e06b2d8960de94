import { expectFreshTable, PROJECT_ROOT, schemaFields, schemaFieldTable } from '@assay/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSuite } from '../suite/load-suite';
import { SuiteFile } from '../suite/suite.schema';
import { keyTable } from './key-table';

const suiteFieldTable = schemaFieldTable(SuiteFile);

test('the table of fields in docs/suites.md is that of the schema', () => {
  expectFreshTable('docs/suites.md', suiteFieldTable);
});

test('the table of keys in docs/tasks.md is that of the code', () => {
  expectFreshTable('docs/tasks.md', keyTable());
});

test.each(schemaFields(SuiteFile).map(({ field, meaning }) => [field, meaning]))(
  '%s says what it means',
  (_, meaning) => {
    expect(meaning.length).toBeGreaterThan(5);
  },
);

test('no cell of a table breaks it', () => {
  for (const line of `${suiteFieldTable}\n${keyTable()}`.split('\n')) {
    expect([4, 5]).toContain(line.split('|').length - 1);
  }
});

test('every suite that docs/suites.md shows is valid', () => {
  const text = readFileSync(join(PROJECT_ROOT, 'docs/suites.md'), 'utf8');
  const shown = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');
  expect(shown.length).toBeGreaterThanOrEqual(2);
  for (const suite of shown) expect(parseSuite(suite, 'docs/suites.md').schema).toBe('assay.suite/1');
});
