import { InfraError } from '@assay/failures';
import type { CliAdapter, CliEnd, CliExit, CliStart } from '../../cli/cli-adapter';
import { failedEnd } from '../../cli/conclude';
import type { PlacedLayer } from '../../layers/agent-layer';
import { readQwenStream } from './qwen-code.stream';

/**
 * qwen-code without a terminal, as measured on 0.24.4. `cli.js` is run directly: the launcher beside it starts the agent as a
 * child that outlives it, and turns a failed sandbox (exit 44) into success.
 */
export const qwenCode: CliAdapter = {
  name: 'qwen-code',
  package: {
    registry: 'npm',
    version: '0.24.4',
    node: true,
    parts: (version) => [{ name: '@qwen-code/qwen-code', version, dir: 'cli', executables: ['vendor/ripgrep/*/rg'] }],
  },
  help: (layer) => ({ argv: [...program(layer), '--help'] }),
  tellsVersion: null,
  plan: (start) => ({ argv: argvOf(start), env: envOf(start), stdin: start.prompt }),
  reader: readQwenStream,
  ownLogs: '.qwen/projects',
  ended,
};

function program({ dir }: PlacedLayer): string[] {
  return [`${dir}/node/bin/node`, `${dir}/cli/cli.js`];
}

/** The prompt comes by standard input: as an argument it could be too long, or begin like a flag. */
function argvOf({ layer, seconds, limits, takes }: CliStart): string[] {
  const optional = (flag: string, ...values: string[]): string[] => (takes(flag) ? [flag, ...values] : []);
  return [
    ...(layer === null ? ['qwen'] : program(layer)),
    '--yolo',
    ...optional('--auth-type', 'openai'),
    '--output-format',
    'stream-json',
    ...optional('--chat-recording'),
    ...optional('--max-wall-time', `${seconds}s`),
    ...(limits.turns === null ? [] : optional('--max-session-turns', String(limits.turns))),
  ];
}

function envOf({ gateway, model }: CliStart): Record<string, string> {
  return {
    OPENAI_BASE_URL: `${gateway.url}/v1`,
    OPENAI_API_KEY: gateway.token,
    OPENAI_MODEL: model,
    QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
    NO_COLOR: '1',
  };
}

/**
 * Its exit codes: 42 input, 44 sandbox and 52 configuration are what we gave it; 53 turns; 55 wall time (no budget of tool
 * calls is set); 1 is everything else, a provider that failed among it.
 */
function ended({ exitCode, record, tail }: CliExit): CliEnd {
  switch (exitCode) {
    case 0:
      return { kind: 'done' };
    case 53:
      return { kind: 'limit', limit: 'turns' };
    case 55:
      return { kind: 'limit', limit: 'time' };
    case 42:
    case 44:
    case 52:
      return { kind: 'crash', error: misconfigured(exitCode, tail) };
    default:
      // Before its first event it refuses flags and settings by printing its usage.
      if (record.version === null && /unknown argument|^usage:|Missing API key/im.test(tail)) {
        return { kind: 'crash', error: misconfigured(exitCode, tail) };
      }
      return failedEnd(exitCode, record, tail);
  }
}

function misconfigured(exitCode: number, tail: string): InfraError {
  return new InfraError(`qwen-code refuses how it was started: exit ${exitCode}`, {
    code: 'agent_misconfigured',
    phase: 'agent',
    details: { exitCode, tail: tail.slice(-2_000) },
  });
}
