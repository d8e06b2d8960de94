import { expectFresh } from '@assay/testing';
import { z } from 'zod';
import { commonConfig, DEFAULT_PORTS } from '../common-config';
import { envChoice, envInt, envUrl, secretFile } from '../settings';
import { configurationIndex, configurationPage } from './configuration-page';

const common = commonConfig('grader');

test('docs/configuration.md names every service', () => {
  const index = configurationIndex();
  for (const app of Object.keys(DEFAULT_PORTS)) expect(index).toContain(`(configuration/${app}.md)`);
  expectFresh('docs/configuration.md', index);
});

test('a page has a row for every variable: default, expectation and meaning', () => {
  const rows = configurationPage(
    'grader',
    z.object({
      ...common,
      MUST: envUrl().describe('Must be there'),
      MAY: secretFile().optional().describe('May be there'),
      HAS: envInt(7, { max: 9 }).describe('Has a default'),
      ONE: envChoice(['a', 'b|c']).describe('A file <name>.yaml'),
    }),
  ).split('\n');
  expect(rows).toContain('| `MUST` | **required** | a URL that begins with http:// or https:// | Must be there |');
  expect(rows).toContain('| `HAS` | `7` | a whole number of at most 9 | Has a default |');
  expect(rows.find((row) => row.startsWith('| `MAY` |'))).toMatch(/^\| `MAY` \| none \| the path of a file /);
  expect(rows).toContain('| `ONE` | **required** | one of: a, b\\|c | A file &lt;name&gt;.yaml |');
  for (const variable of Object.keys(common)) {
    expect(rows.filter((row) => row.startsWith(`| \`${variable}\` |`))).toHaveLength(1);
  }
});

test('a service without settings of its own says so', () => {
  expect(configurationPage('grader', z.object(common))).toContain('## Its own\n\nNone.\n');
});

test('a variable without a meaning, or a service without the common settings, gets no page', () => {
  expect(() => configurationPage('grader', z.object({ ...common, BARE: envInt(1) }))).toThrow(/BARE/);
  expect(() => configurationPage('grader', z.object({}))).toThrow(/lacks the common settings .*NATS_URL/);
});
