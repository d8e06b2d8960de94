import type { Command } from 'commander';
import { clientOf, withConnection, type ConnectionOptions } from '../connection';
import { answer } from '../output';
import { runIdOf } from '../run-argument';

/** `assay cancel RUN`: kills what runs of it; open instances become CANCELLED. */
export function cancelCommand(program: Command): void {
  withConnection(program.command('cancel <run>').description('cancel a run')).action(
    async (run: string, options: ConnectionOptions) => {
      const reply = await clientOf(options).cancel(runIdOf(run));
      answer(
        options.json,
        reply,
        () => `${reply.runId} is ${reply.state}; ${reply.cancelledInstances} instances cancelled`,
      );
    },
  );
}
