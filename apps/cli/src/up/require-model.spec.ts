import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requireModel } from './require-model';

const KEY = 'sk-canary-11d2';

async function withServer(status: number, work: (url: string, keys: string[]) => Promise<void>): Promise<void> {
  const keys: string[] = [];
  const server = createServer((request, response) => {
    keys.push(`${request.url ?? ''} ${request.headers.authorization ?? ''}`);
    response.writeHead(status).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`, keys);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test.each([200, 404, 405, 500])('a server that answers %d is there', (status) =>
  withServer(status, async (url, keys) => {
    await requireModel({ url, key: KEY, model: 'm' });
    expect(keys).toEqual([`/v1/models Bearer ${KEY}`]);
  }),
);

test.each([401, 403])('a key that is refused with %d is told by its variable, and not shown', (status) =>
  withServer(status, async (url) => {
    const failure = await requireModel({ url, key: KEY, model: 'm' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 1,
      message: `OPENAI_API_KEY: ${url}models refuses it (${status}); its value is not shown`,
    });
  }),
);

test('a server that is not there is told by its variable', async () => {
  const gone = requireModel({ url: 'http://127.0.0.1:9/v1', key: KEY, model: 'm' });
  await expect(gone).rejects.toMatchObject({
    code: 1,
    message: expect.stringMatching(/^OPENAI_BASE_URL: no answer from http:\/\/127\.0\.0\.1:9\/v1\/models: /) as string,
  });
});
