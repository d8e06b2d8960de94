import { TaskError } from '@assay/failures';
import { z } from 'zod';
import type { CliAdapter, CliStart } from '../../cli/cli-adapter';
import { failedEnd } from '../../cli/conclude';

/** Options of a suite file for the agent `command`. */
const Options = z.strictObject({
  /** Program and arguments; no shell unless one is named. */
  command: z.array(z.string()).min(1),
  env: z.record(z.string(), z.string()).default({}),
});

/**
 * Whatever the suite file names, found in the task's image: it gets the prompt on its standard input (and as the file
 * `$ASSAY_PROMPT_FILE`), and the model by the usual variables of the three protocols. Its exit code 0 is success. It has no
 * stream that could be read, so its trajectory is what the gateway saw.
 */
export const command: CliAdapter = {
  name: 'command',
  package: null,
  help: null,
  tellsVersion: null,
  plan: (start) => {
    const options = optionsOf(start);
    return {
      argv: options.command,
      env: { ...modelVariables(start), ...options.env },
      stdin: start.prompt,
      files: { 'prompt.md': start.prompt },
    };
  },
  reader: () => () => undefined,
  ownLogs: null,
  ended: ({ exitCode, record, tail }) => (exitCode === 0 ? { kind: 'done' } : failedEnd(exitCode, record, tail)),
};

function optionsOf({ options }: CliStart): z.infer<typeof Options> {
  const parsed = Options.safeParse(options);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `agent.options.${path.join('.')}: ${message}`);
  throw new TaskError(`the options of the agent command are wrong: ${issues.join('; ')}`, {
    code: 'agent_options_invalid',
    phase: 'agent',
    details: { issues },
  });
}

function modelVariables({ gateway, model, home, seconds }: CliStart): Record<string, string> {
  return {
    OPENAI_BASE_URL: `${gateway.url}/v1`,
    OPENAI_API_BASE: `${gateway.url}/v1`,
    OPENAI_API_KEY: gateway.token,
    OPENAI_MODEL: model,
    ANTHROPIC_BASE_URL: gateway.url,
    ANTHROPIC_API_KEY: gateway.token,
    ANTHROPIC_MODEL: model,
    ASSAY_PROMPT_FILE: `${home}/prompt.md`,
    ASSAY_SECONDS: String(seconds),
  };
}
