import { Controller } from '@nestjs/common';
import { WorkerId } from '@assay/contracts';
import { eventually, TestNats } from '@assay/testing';
import { NAMESPACE } from '../harness/builders';
import { CapturedLog } from '../harness/captured-log';
import { HoldingProxy } from '../harness/holding-proxy';
import { startApp } from '../harness/test-worker';
import { connectNats } from '../nats/connect-nats';
import type { NatsLink } from '../nats/nats-link';
import { RpcClient } from '../rpc/rpc.client';
import type { RpcReply } from '../rpc/rpc-types';
import { Rpc } from './handlers';

@Controller()
class Leases {
  @Rpc('leases.live')
  live(): Promise<RpcReply<'leases.live'>> {
    return Promise.resolve({ live: [] });
  }
}

let nats: TestNats;
let proxy: HoldingProxy;
let link: NatsLink;
let asking: NatsLink;

beforeEach(async () => {
  nats = await TestNats.start();
  proxy = await HoldingProxy.to(nats.port);
  link = await connectNats({ url: proxy.url, name: 'answering', namespace: NAMESPACE, reconnectMs: 50 });
  asking = await connectNats({ url: nats.url, name: 'asking', namespace: NAMESPACE });
});
afterEach(async () => {
  await Promise.all([link.close(), asking.close()]);
  await proxy.stop();
  await nats.stop();
});

const ask = (): Promise<unknown> =>
  new RpcClient(asking, 1_000)
    .call('leases.live', { worker: WorkerId.parse('w') })
    .catch((error: unknown) => (error as { code?: string }).code);

/** Starts the app while its subscriptions are held back; `listens` tells when it has said that it listens. */
async function startHeld(): Promise<{ listens: () => boolean; started: ReturnType<typeof startApp> }> {
  proxy.hold();
  let listens = false;
  const started = startApp([Leases], { link, logger: new CapturedLog() }).then((app) => {
    listens = true;
    return app;
  });
  await eventually(() => proxy.holdsSomething);
  return { listens: () => listens, started };
}

test('a server says that it listens only when NATS knows its subscriptions: a request that comes then is answered', async () => {
  const { listens, started } = await startHeld();
  expect(await ask()).toBe('rpc_unavailable');
  expect(listens()).toBe(false);
  proxy.letGo();
  const app = await started;
  expect(await ask()).toEqual({ live: [] });
  await app.close();
});

test('a connection that is lost while subscribing is waited for', async () => {
  const { listens, started } = await startHeld();
  proxy.cut();
  await eventually(() => !link.connected);
  expect(listens()).toBe(false);
  proxy.letGo();
  const app = await started;
  expect(await ask()).toEqual({ live: [] });
  await app.close();
});
