import { Body, Controller, ForbiddenException, Get, Module, Param, Post, Res, UseGuards } from '@nestjs/common';
import { gzipSync } from 'node:zlib';
import { inSpan } from '@assay/telemetry';
import { startOtlpReceiver, type OtlpReceiver } from '@assay/testing';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { commonConfig, JsonBody, Refusal, startService, validated, type RunningService } from './index';

class Order extends createZodDto(
  z.strictObject({ name: z.string().min(1, 'expected a name'), count: z.int('expected a whole number').default(1) }),
) {}

interface Answer {
  write(text: string): unknown;
}

@Controller('orders')
class OrdersController {
  @Post()
  @UseGuards(JsonBody)
  create(@Body() order: Order): Order {
    return order;
  }

  @Get('refused')
  refused(): never {
    throw new Refusal(409, 'already ordered', [{ field: 'key', value: 'k', expected: 'another key' }]);
  }

  @Get('forbidden')
  forbidden(): never {
    throw new ForbiddenException('not you');
  }

  @Get('broken')
  broken(): never {
    throw new Error('password is hunter2');
  }

  @Get('half')
  half(@Res() answer: Answer): never {
    answer.write('the first half');
    throw new Error('the second half is gone');
  }

  @Get('header')
  header(): unknown {
    return validated(z.string().max(2, 'expected two letters'), 'xyz', 'the header is not valid', 'X-Header');
  }

  @Post(':id/cancel')
  @UseGuards(JsonBody)
  cancel(@Param('id') id: string): string {
    return `cancelled ${id}`;
  }

  @Get('traced')
  traced(): Promise<string> {
    return inSpan('inner', {}, ({ traceId }) => Promise.resolve(traceId));
  }
}

@Module({ controllers: [OrdersController] })
class OrdersModule {}

let lines: string[];
let collector: OtlpReceiver;
let service: RunningService;
beforeEach(async () => {
  lines = [];
  collector = await startOtlpReceiver();
  service = await startService(
    { name: 'grader', config: z.object(commonConfig('grader')), module: () => OrdersModule },
    {
      NATS_URL: 'nats://127.0.0.1:1',
      ASSAY_HTTP_PORT: '0',
      ASSAY_ARTIFACTS_DIR: '/nowhere',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    },
    { write: (line: string) => void lines.push(line) },
  );
});
afterEach(async () => {
  await service.stop();
  await collector.stop();
});

const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service.url}/orders`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
const logged = (sentence: string): Record<string, unknown>[] =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['msg'] === sentence);

describe('an error is an ErrorReply:', () => {
  test('a body that is not as it should be, with every problem', async () => {
    const answer = await post(JSON.stringify({ name: '', count: 1.5, colour: 'red' }));
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        statusCode: 400,
        error: 'Bad Request',
        message: "the request's body is not valid",
        errors: [
          { field: 'name', value: '', expected: 'expected a name' },
          { field: 'count', value: 1.5, expected: 'expected a whole number' },
          { field: 'colour', value: 'red', expected: 'no such key' },
        ],
      },
    ]);
  });

  test.each(['', '[]', '"text"', 'null'])('a body that is no object: %j', async (body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ statusCode: 400, errors: expect.any(Array) as unknown });
  });

  test('a body that is no JSON', async () => {
    const answer = await post('{"name": ');
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ statusCode: 400, error: 'Bad Request' });
  });

  test('a body larger than 64 KiB, with the limit', async () => {
    const answer = await post(JSON.stringify({ name: 'x'.repeat(64 * 1024) }));
    expect([answer.status, await answer.json()]).toEqual([
      413,
      { statusCode: 413, error: 'Payload Too Large', message: 'the body is larger than 65536 bytes', errors: [] },
    ]);
  });

  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    'a body of type %s, with what is expected',
    async (type) => {
      const body = new Blob(['{"name":"a"}']);
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      const answer = await fetch(`${service.url}/orders`, { method: 'POST', body, headers });
      expect([answer.status, answer.headers.get('accept')]).toEqual([415, 'application/json']);
      expect(await answer.json()).toEqual({
        statusCode: 415,
        error: 'Unsupported Media Type',
        message: 'the body is not JSON by its header Content-Type',
        errors: [{ field: 'Content-Type', ...(type && { value: type }), expected: 'expected application/json' }],
      });
    },
  );

  test.each([
    ['PUT', '/orders', 'POST'],
    ['DELETE', '/orders/17/cancel', 'POST'],
    ['POST', '/orders/header', 'GET, HEAD'],
    ['POST', '/livez', 'GET, HEAD'],
    ['OPTIONS', '/orders/header/', 'GET, HEAD'],
  ])('%s %s, which takes other methods, with those that it takes', async (method, path, allow) => {
    const answer = await fetch(`${service.url}${path}`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(await answer.json()).toEqual({
      statusCode: 405,
      error: 'Method Not Allowed',
      message: `${path} does not take ${method}`,
      errors: [{ field: 'method', value: method, expected: `expected one of: ${allow}` }],
    });
  });

  test('a path that cannot be decoded', async () => {
    const answer = await fetch(`${service.url}/orders/%ff/cancel`, { method: 'POST' });
    expect([answer.status, await answer.json()]).toMatchObject([400, { statusCode: 400, errors: [] }]);
  });

  test('a page that is not there', async () => {
    const answer = await fetch(`${service.url}/nowhere`);
    expect(await answer.json()).toMatchObject({ statusCode: 404, error: 'Not Found', errors: [] });
  });

  test('a refusal with its problems', async () => {
    const answer = await fetch(`${service.url}/orders/refused`);
    expect([answer.status, await answer.json()]).toEqual([
      409,
      {
        statusCode: 409,
        error: 'Conflict',
        message: 'already ordered',
        errors: [{ field: 'key', value: 'k', expected: 'another key' }],
      },
    ]);
  });

  test("Nest's own exceptions", async () => {
    const answer = await fetch(`${service.url}/orders/forbidden`);
    expect(await answer.json()).toEqual({ statusCode: 403, error: 'Forbidden', message: 'not you', errors: [] });
  });

  test('a value that is no object under the name it was given', async () => {
    const answer = await fetch(`${service.url}/orders/header`);
    expect(await answer.json()).toMatchObject({
      statusCode: 400,
      errors: [{ field: 'X-Header', value: 'xyz', expected: 'expected two letters' }],
    });
  });

  test('what nobody foresaw: the trace id and nothing else; the log has the rest', async () => {
    const answer = await fetch(`${service.url}/orders/broken`);
    const reply = (await answer.json()) as { message: string };
    expect(answer.status).toBe(500);
    expect(reply.message).toMatch(/^an internal error; its trace id is [0-9a-f]{32}$/);
    const [line] = logged('request failed');
    expect(line).toMatchObject({ err: { message: 'password is hunter2' } });
    expect(reply.message).toContain(String(line?.['trace_id']));
  });
});

test('half an answer is broken off, so that nobody takes it for whole', async () => {
  const whole = fetch(`${service.url}/orders/half`).then((answer) => answer.text());
  await expect(whole).rejects.toThrow();
});

test.each([{}, { 'content-type': 'application/x-www-form-urlencoded' }])(
  'a request without a body needs no type of one: %j',
  async (headers) => {
    const answer = await fetch(`${service.url}/orders/17/cancel`, { method: 'POST', headers });
    expect([answer.status, await answer.text()]).toEqual([201, 'cancelled 17']);
  },
);

test('JSON with a charset is JSON, and where there is GET there is HEAD', async () => {
  expect((await post('{"name":"a"}', { 'content-type': 'application/json; charset=utf-8' })).status).toBe(201);
  expect((await fetch(`${service.url}/livez`, { method: 'HEAD' })).status).toBe(200);
});

test.each<[string, Buffer, Record<string, string>, number]>([
  ['broken', Buffer.from('{"name":'), {}, 400],
  ['in UTF-16', Buffer.from('{"name":"a"}', 'utf16le'), {}, 400],
  [
    'in Latin-1 by its header',
    Buffer.from('{"name":"a"}'),
    { 'content-type': 'application/json; charset=latin1' },
    415,
  ],
  ['compressed', gzipSync('{"name":"a"}'), { 'content-encoding': 'gzip' }, 415],
  ['compressed by its header alone', Buffer.from('{"name":"a"}'), { 'content-encoding': 'gzip' }, 415],
])('a body that is %s is refused, naming it and what is expected', async (_, body, headers, status) => {
  const answer = await fetch(`${service.url}/orders`, {
    ...{ method: 'POST', body: new Uint8Array(body) },
    headers: { 'content-type': 'application/json', ...headers },
  });
  expect([answer.status, await answer.json()]).toEqual([
    status,
    expect.objectContaining({ errors: [{ field: 'body', expected: 'expected JSON in UTF-8, uncompressed' }] }),
  ]);
});

test('defaults of the schema are filled in', async () => {
  expect(await (await post('{"name":"a"}')).json()).toEqual({ name: 'a', count: 1 });
});

test('an answer does not say what the server is made of', async () => {
  expect((await post('{"name":"a"}')).headers.get('x-powered-by')).toBeNull();
});

describe('a request', () => {
  test('is a server span named by its route, child of the caller, with work inside as children', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const answer = await fetch(`${service.url}/orders/traced?a=b`, { headers: { traceparent } });
    expect(await answer.text()).toBe('0af7651916cd43dd8448eb211c80319c');
    await service.stop();
    const [inner, outer] = collector.spans;
    expect(outer).toMatchObject({
      name: 'GET /orders/traced',
      service: 'assay-grader',
      parentSpanId: 'b7ad6b7169203331',
      failed: false,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/orders/traced',
        'http.response.status_code': 200,
        'url.path': '/orders/traced',
      },
    });
    expect(inner).toMatchObject({ name: 'inner', parentSpanId: outer!.spanId });
  });

  test('that fails by our fault marks its span, one by the caller does not', async () => {
    await fetch(`${service.url}/orders/broken`);
    await fetch(`${service.url}/orders/forbidden`);
    await service.stop();
    expect(collector.spans.map(({ name, failed }) => [name, failed])).toEqual([
      ['GET /orders/broken', true],
      ['GET /orders/forbidden', false],
    ]);
  });

  test('is one log line with route, status, duration and trace id', async () => {
    await post('{"name":"a"}');
    await service.stop();
    expect(logged('request served')).toMatchObject([
      { method: 'POST', route: '/orders', status: 201, aborted: false, durationMs: expect.any(Number) as number },
    ]);
    expect(logged('request served')[0]?.['trace_id']).toMatch(/^[0-9a-f]{32}$/);
  });

  test('of the health pages leaves neither span nor line', async () => {
    await fetch(`${service.url}/livez`);
    await fetch(`${service.url}/readyz?verbose`);
    await service.stop();
    expect(collector.spans).toEqual([]);
    expect(logged('request served')).toEqual([]);
  });
});

test('a malformed traceparent begins a new trace', async () => {
  const answer = await fetch(`${service.url}/orders/traced`, { headers: { traceparent: '00-zz-xx-01' } });
  expect(await answer.text()).toMatch(/^[0-9a-f]{32}$/);
});
