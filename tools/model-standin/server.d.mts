/** Tokens, in the words of OpenAI's chat completions, whatever protocol carried them. */
export interface ToldUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number };
}

/** A request for a completion, as the stand-in saw it, and how it was answered. */
export interface SeenRequest {
  readonly protocol: 'chat' | 'responses' | 'messages' | 'gemini';
  /** Null: no message had a line `Task: <instance id>`. */
  readonly task: string | null;
  /** Replies of the model in the conversation. */
  readonly turn: number;
  readonly model: string | null;
  readonly stream: boolean;
  readonly body: Record<string, unknown>;
  readonly answered: 'content' | 'fault';
  /** What was reported with the answer; null for faults and where the transcript reports none. */
  readonly usage: ToldUsage | null;
}

export interface ModelStandin {
  /** Without /v1. */
  readonly url: string;
  /** Every request for a completion so far, oldest first. */
  readonly requests: readonly SeenRequest[];
  stop(): Promise<void>;
}

export function startModelStandin(options: {
  port?: number;
  host?: string;
  transcriptsDir: string;
  apiKey?: string;
}): Promise<ModelStandin>;
