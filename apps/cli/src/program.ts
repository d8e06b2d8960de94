import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cancelCommand } from './commands/cancel';
import { exportCommand } from './commands/export';
import { gradeCommand } from './commands/grade/grade';
import { runsCommand } from './commands/runs';
import { showCommand } from './commands/show';
import { signingKeyCommand } from './commands/signing-key';
import { submitCommand } from './commands/submit';
import { tokensCommand } from './commands/tokens/tokens';
import { upCommand } from './commands/up';
import { validateCommand } from './commands/validate/validate';
import { verifyCommand } from './commands/verify';
import { UsageError } from './output';

const COMMANDS = [
  upCommand,
  gradeCommand,
  submitCommand,
  runsCommand,
  showCommand,
  cancelCommand,
  tokensCommand,
  exportCommand,
  verifyCommand,
  signingKeyCommand,
  validateCommand,
];

/** The command line `assay`. It throws instead of ending the process: commander's errors, UsageError, ExitError. */
export function assayProgram(): Command {
  const program = new Command('assay')
    .description('turns published releases of coding agents into benchmark results that can be believed')
    .version(packageVersion(), '-V, --version', 'print the version of this package')
    .exitOverride();
  for (const add of COMMANDS) add(program);
  forgetEmpty(program);
  program.hook('preAction', (_, command) => {
    refuseEmpty(command);
  });
  return program;
}

/** An empty variable counts as absent, here as everywhere; commander would take it for a value. */
function forgetEmpty({ options, commands }: Command): void {
  for (const { envVar } of options) {
    if (envVar !== undefined && process.env[envVar] === '') Reflect.deleteProperty(process.env, envVar);
  }
  commands.forEach(forgetEmpty);
}

/** No option means anything by an empty value: it is a shell's variable that is not set. */
function refuseEmpty(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (value !== '' && !(Array.isArray(value) && value.includes(''))) continue;
    throw new UsageError(`${option.long ?? option.flags}: expected a value that is not empty, got ""`);
  }
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as { version: string };
  return version;
}
