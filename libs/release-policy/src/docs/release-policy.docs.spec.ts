import { expectFreshTable, PROJECT_ROOT, schemaFields, schemaFieldTable } from '@assay/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadPolicy } from '../load-policy';
import { ReleasePolicy } from '../policy.schema';

const FILE = 'docs/release-policy.md';

test('the table of fields in docs/release-policy.md is that of the schema', () => {
  expectFreshTable(FILE, schemaFieldTable(ReleasePolicy));
});

test.each(schemaFields(ReleasePolicy).map(({ field, meaning }) => [field, meaning]))(
  '%s says what it means',
  (_, meaning) => {
    expect(meaning.length).toBeGreaterThan(5);
  },
);

test('no cell of the table breaks it', () => {
  for (const line of schemaFieldTable(ReleasePolicy).split('\n')) expect(line.split('|')).toHaveLength(6);
});

test('the policy that docs/release-policy.md shows is valid', () => {
  const text = readFileSync(join(PROJECT_ROOT, FILE), 'utf8');
  const shown = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');
  expect(shown).toHaveLength(1);
  expect(loadPolicy(shown[0] ?? '', FILE).repositories).toHaveLength(1);
});
