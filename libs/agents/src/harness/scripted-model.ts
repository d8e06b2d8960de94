import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenCall {
  readonly path: string;
  readonly authorization: string | null;
  readonly body: {
    readonly model: string;
    readonly stream: boolean;
    readonly stream_options: unknown;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
}

/** One answer of the script. */
export type Answer = (response: ServerResponse) => void;

/** A model provider over real HTTP that gives the answers of a script, one a call; the last is repeated. */
export class ScriptedModel {
  readonly calls: SeenCall[] = [];
  private script: Answer[] = [];
  private readonly server = createServer((request, response) => {
    void this.answer(request, response);
  });

  static async start(): Promise<ScriptedModel> {
    const model = new ScriptedModel();
    model.server.listen(0, '127.0.0.1');
    await once(model.server, 'listening');
    return model;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** Starts a new script. */
  play(...answers: Answer[]): void {
    this.calls.length = 0;
    this.script = answers;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as SeenCall['body'];
    this.calls.push({ path: request.url ?? '', authorization: request.headers.authorization ?? null, body });
    const next = this.script.length > 1 ? this.script.shift() : this.script[0];
    next?.(response);
  }
}

function event(response: ServerResponse, data: unknown): void {
  response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
}

/** A whole streamed reply, cut into pieces, with the usage that stream_options asks for. */
export function says(
  content: string,
  usage: Record<string, unknown> | null = { prompt_tokens: 100, completion_tokens: 10 },
): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': a comment\n\n');
    for (const piece of content.match(/[\s\S]{1,7}/g) ?? ['']) {
      event(response, { choices: [{ index: 0, delta: { content: piece } }], usage: null });
    }
    event(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    if (usage !== null) event(response, { choices: [], usage });
    event(response, '[DONE]');
    response.end();
  };
}

/** A reply whose one block holds this command. */
export const runs = (command: string): Answer => says(`I think.\n\n\`\`\`bash\n${command}\n\`\`\`\n`);

export function refuses(status: number, headers: Record<string, string> = {}, text = '{"error":{}}'): Answer {
  return (response) => {
    response.writeHead(status, headers);
    response.end(text);
  };
}

/** Begins to stream and then breaks the connection. */
export const cuts: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  event(response, { choices: [{ delta: { content: 'half a th' } }] });
  setImmediate(() => response.destroy());
};

/** Ends its stream without the mark of its end. */
export const stopsShort: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  event(response, { choices: [{ delta: { content: 'half a th' } }] });
  response.end();
};

/** Tells of an error in the middle of its stream. */
export const failsMidway: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  event(response, { error: { message: 'the engine is overloaded' } });
  response.end();
};

/** Sends an event that is no JSON. */
export const garbles: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  event(response, '{"choices": [');
  response.end();
};

/** Takes the call and never answers. */
export const hangs: Answer = () => undefined;
