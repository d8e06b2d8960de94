import { Option, type Command } from 'commander';
import { up } from '../up/up';
import { upOptionsOf, type RawUpOptions } from '../up/up-options';

/** `assay up` (and `npm start`): a whole local deployment, one demo run, the verdict. */
export function upCommand(program: Command): void {
  program
    .command('up')
    .description('start everything on this machine, run the demo suite for a release and show the verdict')
    .option('--once', 'stop after the verdict: exit 0 when it succeeded, 3 when it was quarantined')
    .option('--sandbox <kind>', 'docker or process (default: docker where it can be used)')
    .option('--suite <file>', 'suite file to run (default: suites/demo.yaml)')
    .option('--agent <name>', "agent, in place of the suite's")
    .option('--policy <file>', "release policy (default: the demo's, examples/policies/demo.policy.yaml)")
    .option('--json <file>', 'write the public result there')
    .option('--port <port>', "the dispatcher's port; 0 takes any", '8080')
    .option('--tls', 'HTTPS, with a certificate that is made for this machine and that `assay` trusts by itself')
    .option('--executors <n>', 'executor processes', '1')
    .option('--slots <n>', 'trials at the same time in each executor', '4')
    .option('--time-scale <factor>', 'all durations of the work protocol times this; 1 is the production value', '0.1')
    .addOption(
      new Option('--state-dir <dir>', 'keep data, logs and keys there (default: .assay in the checkout)').env(
        'ASSAY_STATE_DIR',
      ),
    )
    .action((raw: RawUpOptions) => up(upOptionsOf(raw)));
}
