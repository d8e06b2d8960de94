import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { writeKeyPair } from '../key-pair-files';
import { say, UsageError } from '../output';
import { requireNew } from '../path-option';

/** `assay signing-key`: a new pair of keys for the publisher and for those who check. */
export function signingKeyCommand(program: Command): void {
  program
    .command('signing-key')
    .description('make a key pair: the publisher signs with FILE, everybody checks with FILE.pub')
    .requiredOption('--out <file>', 'file of the private key; the public one is written beside it, as FILE.pub')
    .action(({ out }: { readonly out: string }) => {
      for (const file of [out, `${out}.pub`]) {
        if (existsSync(file)) throw new UsageError(`--out: ${file} is there already, and a key is never overwritten`);
        requireNew('--out', file);
      }
      const { id } = writeKeyPair({ privateFile: out, publicFile: `${out}.pub` });
      say(`${out}\n${out}.pub\nkey ${id}`);
    });
}
