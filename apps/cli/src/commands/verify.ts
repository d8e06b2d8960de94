import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { caFileOption, fetchFor } from '../connection';
import { answer, ExitError, UsageError } from '../output';
import { requireThere } from '../path-option';
import { verifyPath, type Verified } from '../verify/evidence-folder';
import { releaseAddress } from '../verify/release-address';
import { ReleaseFiles } from '../verify/release-files.client';
import { heldAgainst } from '../verify/held-against';
import { type KeyOptions, trustedKeys } from '../verify/trusted-keys';
import { readTokenFile } from '../token-file';

interface VerifyOptions extends KeyOptions {
  readonly githubUrl: string;
  readonly githubTokenFile?: string;
  readonly json?: boolean;
}

const GITHUB_TOKEN = { of: 'GitHub token', options: '--github-token-file or GITHUB_TOKEN_FILE' };

/** `assay verify`: whether what stands there is what was signed, and whether score and gate follow from the instances. */
export function verifyCommand(program: Command): void {
  program
    .command('verify <file|folder|release>')
    .description(
      'check signature, checksums, score and gate of a result: a file, a folder, owner/name@tag, or the address of a release',
    )
    .option(
      '--key <file>',
      'public key to trust, PEM; may be given several times',
      (file: string, all: string[] | undefined) => [...(all ?? []), file],
    )
    .addOption(new Option('--url <url>', 'server whose keys are trusted (its /v1/keys)').env('ASSAY_URL'))
    .addOption(caFileOption())
    .addOption(
      new Option('--github-url <url>', "root of GitHub's API").env('GITHUB_API_URL').default('https://api.github.com'),
    )
    .addOption(new Option('--github-token-file <file>', 'token for a private repository').env('GITHUB_TOKEN_FILE'))
    .option('--json', 'print the findings as JSON')
    .action(async (target: string, given: VerifyOptions, command: Command) => {
      const options = { ...given, githubGiven: command.getOptionValueSource('githubUrl') !== 'default' };
      const trusted = await trustedKeys(options);
      const found = existsSync(target) ? await ofPath(target, trusted) : await ofRelease(target, options, trusted);
      answer(options.json, found, () => found.map(words).join('\n\n'));
      if (found.some(({ findings }) => findings.length > 0)) throw new ExitError(1);
    });
}

function ofPath(target: string, trusted: Awaited<ReturnType<typeof trustedKeys>>): Promise<Verified[]> {
  requireThere({ option: '<file|folder|release>', wanted: 'a file or folder to check' }, target);
  return verifyPath(target, trusted);
}

async function ofRelease(
  target: string,
  options: VerifyOptions & { readonly githubGiven: boolean },
  trusted: Awaited<ReturnType<typeof trustedKeys>>,
): Promise<Verified[]> {
  const address = releaseAddress(target);
  if (address === null) {
    throw new UsageError(`${target}: expected a file, a folder, owner/name@tag, or the address of a release's page`);
  }
  const { githubUrl, githubGiven, githubTokenFile, caFile } = options;
  const apiUrl = githubGiven ? githubUrl : (address.api ?? githubUrl);
  const token = githubTokenFile === undefined ? null : readTokenFile(githubTokenFile, GITHUB_TOKEN);
  const folder = mkdtempSync(join(tmpdir(), 'assay-verify-'));
  try {
    const release = await new ReleaseFiles({ apiUrl, token, fetch: fetchFor(apiUrl, caFile) }).fetch(
      address,
      folder,
      (name) => name.startsWith('assay-'),
    );
    const found = await verifyPath(folder, trusted).catch((error: unknown) => {
      if (error instanceof UsageError) throw new ExitError(1, `${target} has no signed statement of Assay`);
      throw error;
    });
    return heldAgainst(release, address, found);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function words({ name, statement, signedBy, warnings, findings }: Verified): string {
  const said = [
    ...(statement === null ? [] : [summary(statement.predicate.assay)]),
    ...warnings.map((warning) => `  warning: ${warning}`),
  ];
  if (findings.length === 0 && statement !== null) {
    const files = statement.subject.map((subject) => subject.name).join(', ');
    return [`${name}: verified`, ...said, `  signed by key ${signedBy ?? ''}`, `  files: ${files}`].join('\n');
  }
  return [`${name}: NOT what was signed`, ...said, ...findings.map(({ message }) => `  ${message}`)].join('\n');
}

function summary({
  runId,
  suite,
  status,
  release,
  evaluated,
  score,
}: NonNullable<Verified['statement']>['predicate']['assay']): string {
  const where = release === null ? '' : ` for ${release.repository} ${release.tag}`;
  const number = score === null ? 'no score' : `score ${score.percent.toFixed(2)} %`;
  return `  run ${runId} of ${suite}${where}, evaluated ${evaluated.ref}: ${status}, ${number}`;
}
