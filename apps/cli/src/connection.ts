import { Option, type Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from './api.client';
import { UsageError } from './output';
import { projectRoot } from './project-root';
import { readTokenFile } from './token-file';
import { fetchTrusting } from './trusting-fetch';

export interface ConnectionOptions {
  readonly url: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly json?: boolean;
}

/** Adds the options that every command which talks to a server has. */
export function withConnection(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', "the dispatcher's address").env('ASSAY_URL').default('http://127.0.0.1:8080'))
    .addOption(
      new Option('--token-file <file>', 'file with the bearer token (default: the one that `npm start` made)').env(
        'ASSAY_API_TOKEN_FILE',
      ),
    )
    .addOption(
      new Option('--ca-file <file>', 'PEM file with certificates to trust beside the usual ones').env('ASSAY_CA_FILE'),
    )
    .option('--json', 'print the answer as JSON');
}

/** The client that the options name. Throws UsageError where the address is none or no token can be found. */
export function clientOf({ url, tokenFile, caFile }: ConnectionOptions): ApiClient {
  const file = tokenFile ?? join(projectRoot(), '.assay/secrets/api-token');
  if (tokenFile === undefined && !existsSync(file)) {
    throw new UsageError(`no API token: ${file} is not there; start a server with \`npm start\`, or give --token-file`);
  }
  const trusting = caFile === undefined ? {} : { fetch: fetchTrusting(caFile) };
  return new ApiClient({ url: addressOf(url), token: readTokenFile(file), ...trusting });
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
