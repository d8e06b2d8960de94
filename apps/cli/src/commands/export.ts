import type { Command } from 'commander';
import { clientOf, type ConnectionOptions, withConnection } from '../connection';
import { BundleFolder } from '../export/bundle-folder';
import { exportRun } from '../export/export-run';
import { answer } from '../output';
import { runIdOf } from '../run-argument';

/** `assay export RUN`: the private bundle of a run, as a folder. */
export function exportCommand(program: Command): void {
  withConnection(
    program
      .command('export <run>')
      .description(
        'fetch everything that the server has about a run into a folder: request, manifest, result, events, logs, trajectories',
      ),
  )
    .option('--out <dir>', 'the new folder (default: the id of the run)')
    .action(async (run: string, options: ConnectionOptions & { readonly out?: string }) => {
      const client = clientOf(options);
      const id = runIdOf(run);
      const out = options.out ?? id;
      const folder = await BundleFolder.at(out);
      try {
        await exportRun(client, id, folder);
        const files = await folder.finish();
        answer(
          options.json,
          { folder: out, files },
          () => `${out}: ${files} files; check them with: cd ${out} && sha256sum -c checksums.sha256`,
        );
      } catch (error) {
        await folder.drop();
        throw error;
      }
    });
}
