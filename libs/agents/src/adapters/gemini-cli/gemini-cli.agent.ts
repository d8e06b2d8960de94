import { InfraError } from '@assay/failures';
import type { CliAdapter, CliEnd, CliExit, CliStart } from '../../cli/cli-adapter';
import { failedEnd } from '../../cli/conclude';
import type { PlacedLayer } from '../../layers/agent-layer';
import { readGeminiStream } from './gemini-cli.stream';

/** Gemini CLI, as measured on 0.61.0. Its model speaks Google's generateContent. */
export const geminiCli: CliAdapter = {
  name: 'gemini-cli',
  package: {
    registry: 'npm',
    version: '0.61.0',
    node: true,
    parts: (version) => [{ name: '@google/gemini-cli', version, dir: 'cli' }],
  },
  help: (layer) => ({ argv: [...program(layer), '--help'] }),
  tellsVersion: (layer) => ({ argv: [...program(layer), '--version'] }),
  plan: (start) => ({
    argv: argvOf(start),
    env: envOf(start),
    stdin: start.prompt,
    files: { '.gemini/settings.json': settingsOf(start) },
  }),
  reader: readGeminiStream,
  ownLogs: '.gemini/tmp',
  ended,
};

function program({ dir }: PlacedLayer): string[] {
  return [`${dir}/node/bin/node`, `${dir}/cli/bundle/gemini.js`];
}

function argvOf({ layer, model, takes }: CliStart): string[] {
  return [
    ...(layer === null ? ['gemini'] : program(layer)),
    '--yolo',
    '--model',
    model,
    '--output-format',
    'stream-json',
    ...(takes('--skip-trust') ? ['--skip-trust'] : []),
  ];
}

/** Without GEMINI_CLI_NO_RELAUNCH it runs as a child that outlives what is signalled. */
function envOf({ gateway }: CliStart): Record<string, string> {
  return {
    GEMINI_API_KEY: gateway.token,
    GOOGLE_GEMINI_BASE_URL: gateway.url,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_CLI_NO_RELAUNCH: 'true',
    NO_COLOR: '1',
  };
}

/** The kind of key must be named: a base address makes it choose one that it then refuses. */
function settingsOf({ limits }: CliStart): string {
  return JSON.stringify({
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    ...(limits.turns === null ? {} : { model: { maxSessionTurns: limits.turns } }),
  });
}

/** 41 key, 42 input, 44 sandbox, 52 configuration: what we gave it. 53 turns. Of a provider's status it exits with the low byte. */
function ended({ exitCode, record, tail }: CliExit): CliEnd {
  switch (exitCode) {
    case 0:
      return { kind: 'done' };
    case 53:
      return { kind: 'limit', limit: 'turns' };
    case 41:
    case 42:
    case 44:
    case 52: {
      const options = {
        code: 'agent_misconfigured',
        phase: 'agent',
        details: { exitCode, tail: tail.slice(-2_000) },
      } as const;
      return {
        kind: 'crash',
        error: new InfraError(`gemini-cli refuses how it was started: exit ${exitCode}`, options),
      };
    }
    default:
      return failedEnd(exitCode, record, tail);
  }
}
