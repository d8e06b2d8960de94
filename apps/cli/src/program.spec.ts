import { CommanderError } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assayProgram } from './program';
import { UsageError } from './output';
import { projectRoot } from './project-root';
import packageFile from '../package.json';

/** What commander prints and ends with. */
async function outcomeOf(...args: string[]): Promise<{ out: string; exitCode: number }> {
  let out = '';
  const program = assayProgram().configureOutput({ writeOut: (text) => (out += text) });
  const error = await program.parseAsync(args, { from: 'user' }).catch((caught: unknown) => caught);
  if (error instanceof CommanderError) return { out, exitCode: error.exitCode };
  throw error;
}

test.each(['--version', '-V'])('%s prints the version of the package and ends with 0', async (flag) => {
  expect(await outcomeOf(flag)).toEqual({ out: `${packageFile.version}\n`, exitCode: 0 });
});

test('the help names every command', async () => {
  const { out, exitCode } = await outcomeOf('--help');
  expect(exitCode).toBe(0);
  for (const command of ['up', 'submit', 'runs', 'show', 'cancel'])
    expect(out).toMatch(new RegExp(`^ {2}${command} `, 'm'));
});

test('the page on the command line tells every option of these commands', () => {
  const page = readFileSync(join(projectRoot(), 'docs/command-line.md'), 'utf8');
  const flags = (name: string): string[] => {
    const command = assayProgram().commands.find((each) => each.name() === name);
    return (command?.options ?? []).map(({ long }) => long ?? '');
  };
  expect(flags('up')).toContain('--state-dir');
  for (const flag of ['up', 'show', 'validate', 'verify'].flatMap(flags)) expect(page).toContain(`\`${flag}`);
});

test('an empty variable counts as absent', () => {
  process.env['ASSAY_URL'] = '';
  process.env['ASSAY_CA_FILE'] = '/kept';
  try {
    assayProgram();
    expect(process.env).not.toHaveProperty('ASSAY_URL');
    expect(process.env).toHaveProperty('ASSAY_CA_FILE', '/kept');
  } finally {
    for (const name of ['ASSAY_URL', 'ASSAY_CA_FILE']) Reflect.deleteProperty(process.env, name);
  }
});

test.each([
  ['--state-dir', ['up', '--once', '--state-dir', '']],
  ['--suite', ['up', '--suite', '']],
  ['--json', ['up', '--json=']],
  ['--out', ['export', 'run-1', '--out', '']],
  ['--receipt', ['submit', '--receipt', '']],
  ['--key', ['verify', '.', '--key', '']],
  ['--out', ['signing-key', '--out', '']],
])('an empty %s is refused before anything is done, and named', async (option, args) => {
  const refused = assayProgram().parseAsync(args, { from: 'user' });
  await expect(refused).rejects.toThrow(new UsageError(`${option}: expected a value that is not empty, got ""`));
});
