import { Option, type Command } from 'commander';
import { existsSync } from 'node:fs';
import { ApiClient } from './api.client';
import { localAddress, localCertificate, localTokenFile } from './local-deployment';
import { UsageError } from './output';
import { readTokenFile } from './token-file';
import { type Fetch, fetchTrusting } from './trusting-fetch';

export interface ConnectionOptions {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly json?: boolean;
}

/** Adds the options that every command which talks to a server has. */
export function withConnection(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', "the dispatcher's address (default: that of `npm start`)").env('ASSAY_URL'))
    .addOption(
      new Option('--token-file <file>', 'file with the bearer token (default: the one that `npm start` made)').env(
        'ASSAY_API_TOKEN_FILE',
      ),
    )
    .addOption(caFileOption())
    .option('--json', 'print the answer as JSON');
}

/** Certificates of one's own. */
export function caFileOption(): Option {
  return new Option(
    '--ca-file <file>',
    'PEM file with certificates to trust beside the usual ones (default: that of `npm start -- --tls`)',
  ).env('ASSAY_CA_FILE');
}

/**
 * What talks to this address: Node's own, or one that trusts the given file too, else the certificate that `npm start -- --tls`
 * made here. Throws UsageError where the file is none.
 */
export function fetchFor(url: string, caFile: string | undefined): Fetch {
  const trusted = caFile ?? localCertificate(url);
  return trusted === null ? fetch : fetchTrusting(trusted);
}

/** The client that the options name. Throws UsageError where the address is none or no token can be found. */
export function clientOf({ url = localAddress(), tokenFile, caFile }: ConnectionOptions): ApiClient {
  const file = tokenFile ?? localTokenFile();
  if (tokenFile === undefined && !existsSync(file)) {
    throw new UsageError(`no API token: ${file} is not there; start a server with \`npm start\`, or give --token-file`);
  }
  const address = addressOf(url);
  return new ApiClient({ url: address, token: readTokenFile(file), fetch: fetchFor(address, caFile) });
}

/** Without a slash at its end. */
function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(
      `--url (or ASSAY_URL): expected an address such as http://127.0.0.1:8080, got ${JSON.stringify(text)}`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      '--url (or ASSAY_URL): expected an address without user and password: the token file says who you are',
    );
  }
  return text.replace(/\/+$/, '');
}
