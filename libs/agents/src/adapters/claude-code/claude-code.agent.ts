import type { CliAdapter, CliEnd, CliExit, CliStart } from '../../cli/cli-adapter';
import { failedEnd } from '../../cli/conclude';
import { readClaudeStream, TURNS_REACHED } from './claude-code.stream';

/**
 * Claude Code, as measured on 2.1.332: the package of npm is a launcher, the program a package of its own for each processor.
 * It takes `--max-turns` without naming it in its help, and knows no wall time.
 */
export const claudeCode: CliAdapter = {
  name: 'claude-code',
  package: {
    registry: 'npm',
    version: '2.1.332',
    node: false,
    parts: (version, arch) => [
      { name: '@anthropic-ai/claude-code', version, dir: 'launcher' },
      { name: `@anthropic-ai/claude-code-linux-${arch}`, version, dir: 'cli', executables: ['claude'] },
    ],
  },
  help: null,
  tellsVersion: null,
  plan: (start) => ({ argv: argvOf(start), env: envOf(start), stdin: start.prompt }),
  reader: readClaudeStream,
  ownLogs: '.claude/projects',
  ended,
};

function argvOf({ layer, limits }: CliStart): string[] {
  return [
    layer === null ? 'claude' : `${layer.dir}/cli/claude`,
    '--print',
    '--verbose',
    '--output-format',
    'stream-json',
    '--permission-mode',
    'bypassPermissions',
    ...(limits.turns === null ? [] : ['--max-turns', String(limits.turns)]),
  ];
}

/** Every model that it would choose itself is the one that is measured. IS_SANDBOX lets root bypass permissions. */
function envOf({ gateway, model, home }: CliStart): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: gateway.url,
    ANTHROPIC_API_KEY: gateway.token,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    CLAUDE_CODE_SUBAGENT_MODEL: model,
    CLAUDE_CONFIG_DIR: `${home}/.claude`,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    IS_SANDBOX: '1',
  };
}

/** It has one exit code for all that is not success; why, its last event says. */
function ended({ exitCode, record, tail }: CliExit): CliEnd {
  if (exitCode === 0) return { kind: 'done' };
  if (record.failure === TURNS_REACHED) return { kind: 'limit', limit: 'turns' };
  return failedEnd(exitCode, record, tail);
}
