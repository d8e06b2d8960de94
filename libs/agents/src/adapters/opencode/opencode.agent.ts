import type { CliAdapter, CliEnd, CliExit, CliStart } from '../../cli/cli-adapter';
import { failedEnd } from '../../cli/conclude';
import type { PlacedLayer } from '../../layers/agent-layer';
import { readOpencodeStream } from './opencode.stream';

/** Name of the provider in its configuration. */
const PROVIDER = 'assay';

/**
 * opencode, as measured on 1.18.33: a program of its own for each processor. It wants to fetch plugins from npm while it runs;
 * without a way there it goes on. A limit of steps would make it answer without tools, which looks like success, so turns are
 * counted from outside.
 */
export const opencode: CliAdapter = {
  name: 'opencode',
  package: {
    registry: 'npm',
    version: '1.18.33',
    node: false,
    parts: (version, arch) => [
      { name: 'opencode-ai', version, dir: 'launcher' },
      { name: `opencode-linux-${arch}`, version, dir: 'cli', executables: ['bin/opencode'] },
    ],
  },
  help: null,
  tellsVersion: (layer) => ({ argv: [program(layer), '--version'] }),
  plan: (start) => ({
    argv: argvOf(start),
    env: envOf(start),
    stdin: start.prompt,
    files: { '.config/opencode/opencode.json': configOf(start) },
  }),
  reader: readOpencodeStream,
  ownLogs: '.local/share/opencode/log',
  ended,
};

function program({ dir }: PlacedLayer): string {
  return `${dir}/cli/bin/opencode`;
}

/** With a title it asks the model for none. */
function argvOf({ layer, model }: CliStart): string[] {
  const flags = ['--format', 'json', '--dangerously-skip-permissions', '--title', 'task'];
  return [layer === null ? 'opencode' : program(layer), '--model', `${PROVIDER}/${model}`, 'run', ...flags];
}

function envOf({ gateway, home }: CliStart): Record<string, string> {
  return {
    OPENAI_API_KEY: gateway.token,
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_DATA_HOME: `${home}/.local/share`,
    XDG_STATE_HOME: `${home}/.local/state`,
    XDG_CACHE_HOME: `${home}/.cache`,
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_FAKE_VCS: 'git',
    // Nothing is installed inside a trial, also where the sandbox could reach a registry.
    npm_config_registry: 'http://127.0.0.1:9',
  };
}

function configOf({ gateway, model }: CliStart): string {
  return JSON.stringify({
    $schema: 'https://opencode.ai/config.json',
    autoupdate: false,
    share: 'disabled',
    provider: {
      [PROVIDER]: {
        npm: '@ai-sdk/openai-compatible',
        name: PROVIDER,
        options: { baseURL: `${gateway.url}/v1`, apiKey: '{env:OPENAI_API_KEY}' },
        models: { [model]: { name: model, limit: { context: 200_000, output: 32_000 } } },
      },
    },
  });
}

function ended({ exitCode, record, tail }: CliExit): CliEnd {
  return exitCode === 0 && record.failure === null ? { kind: 'done' } : failedEnd(exitCode, record, tail);
}
