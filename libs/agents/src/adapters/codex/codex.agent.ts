import type { CliAdapter, CliEnd, CliExit, CliStart } from '../../cli/cli-adapter';
import { failedEnd } from '../../cli/conclude';
import type { PlacedLayer } from '../../layers/agent-layer';
import type { Arch } from '../../layers/arch';
import { readCodexStream } from './codex.stream';

const TRIPLES: Readonly<Record<Arch, string>> = {
  x64: 'x86_64-unknown-linux-musl',
  arm64: 'aarch64-unknown-linux-musl',
};

/**
 * Codex, as measured on 0.171.0. The program is in a version of the same package of its own for each processor. It has no limit
 * of turns or time, and its stream does not tell where a reply ends: of turns only the gateway knows.
 */
export const codex: CliAdapter = {
  name: 'codex',
  package: {
    registry: 'npm',
    version: '0.171.0',
    node: false,
    parts: (version, arch) => [
      { name: '@openai/codex', version, dir: 'launcher' },
      {
        name: '@openai/codex',
        version: `${version}-linux-${arch}`,
        dir: 'cli',
        executables: [`vendor/${TRIPLES[arch]}/*/*`, `vendor/${TRIPLES[arch]}/*`],
      },
    ],
  },
  help: null,
  tellsVersion: (layer) => ({ argv: [program(layer), '--version'] }),
  plan: (start) => ({
    argv: argvOf(start),
    env: envOf(start),
    stdin: start.prompt,
    files: { '.codex/config.toml': configOf(start) },
  }),
  reader: readCodexStream,
  ownLogs: '.codex/sessions',
  turnsByCalls: true,
  ended,
};

function program({ dir }: PlacedLayer): string {
  const arch: Arch = process.arch === 'arm64' ? 'arm64' : 'x64';
  return `${dir}/cli/vendor/${TRIPLES[arch]}/bin/codex`;
}

/** `-`: the prompt is read from standard input. */
function argvOf({ layer, model }: CliStart): string[] {
  const flags = ['--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check', '--json', '--model', model];
  return [layer === null ? 'codex' : program(layer), 'exec', ...flags, '-'];
}

function envOf({ gateway, home }: CliStart): Record<string, string> {
  return { OPENAI_API_KEY: gateway.token, CODEX_HOME: `${home}/.codex` };
}

/** JSON strings are TOML strings as well. Without `web_search` it asks the provider to search, which the gateway refuses. */
function configOf({ gateway }: CliStart): string {
  return [
    'model_provider = "assay"',
    'check_for_update_on_startup = false',
    'web_search = "disabled"',
    '',
    '[analytics]',
    'enabled = false',
    '',
    '[model_providers.assay]',
    'name = "assay"',
    `base_url = ${JSON.stringify(`${gateway.url}/v1`)}`,
    'env_key = "OPENAI_API_KEY"',
    'wire_api = "responses"',
    '',
  ].join('\n');
}

function ended({ exitCode, record, tail }: CliExit): CliEnd {
  return exitCode === 0 ? { kind: 'done' } : failedEnd(exitCode, record, tail);
}
