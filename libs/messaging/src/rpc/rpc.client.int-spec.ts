import { WorkerId } from '@assay/contracts';
import { ContractError, InfraError } from '@assay/failures';
import { currentTraceparent, inSpan } from '@assay/telemetry';
import { TestNats } from '@assay/testing';
import { NAMESPACE } from '../harness/builders';
import { connectNats } from '../nats/connect-nats';
import type { NatsLink } from '../nats/nats-link';
import { traceparentOf } from '../nats/trace-headers';
import { RpcClient } from './rpc.client';

let nats: TestNats;
let link: NatsLink;
let rpc: RpcClient;
const request = { worker: WorkerId.parse('w') };

beforeAll(async () => {
  nats = await TestNats.start();
  link = await connectNats({ url: nats.url, name: 'test', namespace: NAMESPACE });
  rpc = new RpcClient(link, 300);
});
afterAll(async () => {
  await link.close();
  await nats.stop();
});

/** Somebody who answers `leases.live` with this text, or not at all. */
async function answering(text: string | null, body: (traces: (string | null)[]) => Promise<void>): Promise<void> {
  const traces: (string | null)[] = [];
  const subscription = link.connection.subscribe(link.names.rpc('leases.live'), {
    callback: (_, message) => {
      traces.push(traceparentOf(message.headers));
      if (text !== null) message.respond(text);
    },
  });
  try {
    await body(traces);
  } finally {
    subscription.unsubscribe();
  }
}

test('nobody listens: rpc_unavailable, at once', async () => {
  const since = performance.now();
  const error: unknown = await rpc.call('leases.live', request).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InfraError);
  expect(error).toMatchObject({ code: 'rpc_unavailable' });
  expect(performance.now() - since).toBeLessThan(250);
});

test('no answer: rpc_timeout after the time of the client, or of the call', async () => {
  await answering(null, async () => {
    const since = performance.now();
    await expect(rpc.call('leases.live', request)).rejects.toMatchObject({ code: 'rpc_timeout', blame: 'infra' });
    expect(performance.now() - since).toBeGreaterThanOrEqual(290);
    const again = performance.now();
    await expect(rpc.call('leases.live', request, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'rpc_timeout' });
    expect(performance.now() - again).toBeLessThan(250);
  });
});

test.each(['no json', '{"live":7}', '{"live":[],"more":1}'])('the reply %s is a broken contract', (text) =>
  answering(text, async () => {
    const error: unknown = await rpc.call('leases.live', request).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ContractError);
    expect(error).toMatchObject({ code: 'rpc_bad_reply' });
  }),
);

test('a malformed request is not even sent', () =>
  answering('{"live":[]}', async (traces) => {
    const wrong = { worker: WorkerId.parse('w'), more: 1 };
    await expect(rpc.call('leases.live', wrong)).rejects.toMatchObject({ code: 'rpc_bad_request' });
    expect(traces).toEqual([]);
  }));

test('the current trace is sent, or the one that the call names, or none', () =>
  answering('{"live":[]}', async (traces) => {
    const named = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    const current = await inSpan('asking', { parent: named }, async () => {
      await rpc.call('leases.live', request);
      return currentTraceparent();
    });
    await rpc.call('leases.live', request, { traceparent: named });
    await rpc.call('leases.live', request);
    expect(traces).toEqual([current, named, null]);
  }));
