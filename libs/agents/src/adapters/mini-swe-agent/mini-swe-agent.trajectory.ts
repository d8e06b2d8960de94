import { countOf, objectOf, objectsOf, textOf, contentText, jsonLine, type JsonObject } from '../../cli/json-line';
import { callOf, OpenReply } from '../../cli/open-reply';
import { providerFailure } from '../../cli/provider-failure';
import type { StreamRecord } from '../../cli/stream-record';
import type { StepTokens } from '../../trajectory/trajectory-step';

export const LIMITS_EXCEEDED = 'LimitsExceeded';
export const TIME_EXCEEDED = 'TimeExceeded';

/**
 * Reads the trajectory file of mini-swe-agent (`mini-swe-agent-1.1`) into a record: messages as the provider has them, each with
 * an `extra` of the agent's own. The first two, system and task, are the agent's template around what we asked.
 */
export function readMiniSweTrajectory(text: string, record: StreamRecord): void {
  const whole = jsonLine(text.trimStart());
  if (whole === null) return;
  for (const message of objectsOf(whole['messages']).slice(2)) readMessage(message, record);
  const status = textOf(objectOf(whole['info'])?.['exit_status']);
  record.finished = status === 'Submitted';
}

function readMessage(message: JsonObject, record: StreamRecord): void {
  const extra = objectOf(message['extra']) ?? {};
  const content = contentText(message['content']);
  switch (message['role']) {
    case 'assistant': {
      const reply = new OpenReply();
      reply.say(content);
      for (const call of objectsOf(message['tool_calls'])) {
        const called = objectOf(call['function']) ?? {};
        reply.call(callOf(call['id'], called['name'], jsonLine(textOf(called['arguments']) ?? '')));
      }
      record.replied(reply.step(tokensOf(objectOf(objectOf(extra['response'])?.['usage']) ?? {})));
      return;
    }
    case 'exit':
      readExit(textOf(extra['exit_status']) ?? '', content, record);
      return;
    default: {
      const failed = typeof extra['returncode'] === 'number' && extra['returncode'] !== 0 ? { failed: true } : {};
      record.observed({ callId: textOf(message['tool_call_id']), content, ...failed });
    }
  }
}

/** Its status is the name of an exception's class; the provider's failures are those of LiteLLM. */
function readExit(status: string, content: string, record: StreamRecord): void {
  if (status === 'Submitted') return;
  if (status === LIMITS_EXCEEDED || status === TIME_EXCEEDED) {
    record.failed(status, false);
    return;
  }
  const told = STATUS_OF[status];
  const text = `${told === undefined ? '' : `API Error: ${told} `}${status}: ${content}`;
  record.failed(text, told !== undefined || providerFailure(text)?.blame === 'infra');
}

const STATUS_OF: Readonly<Record<string, number>> = {
  AuthenticationError: 401,
  PermissionDeniedError: 403,
  NotFoundError: 404,
  RateLimitError: 429,
  InternalServerError: 500,
  APIError: 500,
  BadGatewayError: 502,
  ServiceUnavailableError: 503,
  APIConnectionError: 503,
  Timeout: 504,
};

function tokensOf(usage: JsonObject): StepTokens | undefined {
  const promptTokens = countOf(usage['prompt_tokens']);
  const completionTokens = countOf(usage['completion_tokens']);
  const cachedTokens = countOf(objectOf(usage['prompt_tokens_details'])?.['cached_tokens']);
  return promptTokens + completionTokens === 0 ? undefined : { promptTokens, completionTokens, cachedTokens };
}
