import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReplayingModel {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** A model over real HTTP that asks for these commands, one a call, and then submits. */
export async function startModel(commands: readonly string[]): Promise<ReplayingModel> {
  let call = 0;
  const server = createServer((request, response) => {
    request.resume();
    const command = commands[call] ?? 'echo ASSAY_SUBMIT';
    call += 1;
    const content = `Next.\n\n\`\`\`bash\n${command}\n\`\`\`\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
    response.write(`data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } })}\n\n`);
    response.end('data: [DONE]\n\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
