/** A request for a completion, as the stand-in saw it. */
export interface SeenRequest {
  /** Null: no message had a line `Task: <instance id>`. */
  readonly task: string | null;
  /** Assistant messages in the conversation. */
  readonly turn: number;
  readonly model: string | null;
  readonly stream: boolean;
  readonly body: Record<string, unknown>;
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
