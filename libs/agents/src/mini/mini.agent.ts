import { AgentError, BlamedError, InfraError } from '@assay/failures';
import type { ExecResult } from '@assay/sandbox';
import type { ReachedLimit } from '@assay/contracts';
import { taskPrompt } from '../task-prompt';
import type { AgentReport, AgentRun, TrialAgent } from '../trial-agent.port';
import { chat, type ChatMessage } from './chat.client';
import { MiniRecord } from './mini-record';
import { commandOf, NO_COMMAND, SUBMIT_MARK, SYSTEM_PROMPT } from './prompts';

/** Replies without a command in a row after which the agent has failed. */
const MOST_USELESS_REPLIES = 3;
const COMMAND_TIMEOUT_MS = 120_000;
const MAX_OUTPUT = 262_144;
/** Characters of an observation that the model sees: the beginning and the end of what was longer. */
const SHOWN = 10_000;

/**
 * A small shell-loop agent in the manner of mini-swe-agent: one command a turn, any OpenAI-compatible model. The loop runs
 * here and only its commands run in the sandbox, so the key never enters it.
 */
export const miniAgent: TrialAgent = {
  name: 'mini',
  version: '1.0.0',
  model: 'here',
  async run(run): Promise<AgentReport> {
    const record = new MiniRecord(run);
    try {
      const limit = await converse(run, record);
      return record.report(limit, null);
    } catch (error) {
      if (run.signal.aborted) return record.report('time', null);
      if (error instanceof BlamedError) return record.report(null, error);
      throw error;
    }
  },
};

/** Talks until the agent submits (null) or reaches a limit. Throws BlamedError for a crash, ours or its own. */
async function converse(run: AgentRun, record: MiniRecord): Promise<ReachedLimit | null> {
  const { endpoint, limits, signal, model } = run;
  if (endpoint === null) {
    throw new InfraError('this executor has no model (OPENAI_BASE_URL, OPENAI_API_KEY_FILE)', {
      code: 'model_not_configured',
      phase: 'agent',
    });
  }
  const messages: ChatMessage[] = [
    { role: 'system', content: SYSTEM_PROMPT },
    { role: 'user', content: taskPrompt(run) },
  ];
  for (const { role, content } of messages) record.told(role === 'system' ? 'system' : 'user', content);
  let useless = 0;
  for (let turn = 1; ; turn += 1) {
    if (signal.aborted) return 'time';
    const reached = record.reached(limits, turn);
    if (reached !== null) return reached;
    record.asked();
    const onUpstreamFailure = (): void => {
      record.failed();
    };
    const reply = await chat(messages, { endpoint, model, signal, onUpstreamFailure });
    record.answered(reply, messages);
    messages.push({ role: 'assistant', content: reply.content });
    const command = commandOf(reply.content);
    if (command === null) {
      useless += 1;
      if (useless >= MOST_USELESS_REPLIES) throw malformed(reply.content, useless);
      messages.push({ role: 'user', content: NO_COMMAND });
      record.said(reply, null, NO_COMMAND);
      continue;
    }
    useless = 0;
    const result = await execute(run, command);
    const observation = shown(result);
    messages.push({ role: 'user', content: observation });
    record.said(reply, command, observation);
    if (submits(result)) return null;
  }
}

function execute({ sandbox, task, deadline, signal, log }: AgentRun, command: string): Promise<ExecResult> {
  log(`$ ${command}\n`);
  return sandbox.exec({
    command: ['bash', '-c', command],
    env: task.env,
    timeoutMs: Math.max(1, Math.min(COMMAND_TIMEOUT_MS, deadline.getTime() - Date.now())),
    maxOutputBytes: MAX_OUTPUT,
    signal,
    onOutput: (chunk) => {
      log(chunk.toString('utf8'));
    },
  });
}

function submits({ exitCode, output }: ExecResult): boolean {
  return exitCode === 0 && output.toString('utf8').split('\n', 1)[0]?.trim() === SUBMIT_MARK;
}

function shown({ exitCode, output, truncated, timedOut, outOfMemory }: ExecResult): string {
  const text = output.toString('utf8');
  const cut =
    text.length <= SHOWN
      ? text
      : `${text.slice(0, SHOWN / 2)}\n[${text.length - SHOWN} characters left out]\n${text.slice(-SHOWN / 2)}`;
  const notes = [
    ...(timedOut ? ['The command was stopped: it took too long.'] : []),
    ...(outOfMemory ? ['The command was stopped: it used too much memory.'] : []),
    ...(truncated ? ['The output was longer than is kept.'] : []),
  ];
  return [`Exit code: ${exitCode ?? 'none'}`, ...notes, 'Output:', cut].join('\n');
}

function malformed(reply: string, times: number): AgentError {
  return new AgentError(`the model's reply held no command ${times} times in a row`, {
    code: 'agent_malformed',
    phase: 'agent',
    details: { reply: reply.slice(0, 1_000) },
  });
}
