import { InfraError } from '@assay/failures';
import { eventually, freePort, TestNats } from '@assay/testing';
import { NAMESPACE } from '../harness/builders';
import { connectNats } from './connect-nats';

test('a server that is not there is one clear error that names the address and no password', async () => {
  const port = await freePort();
  const error: unknown = await connectNats({
    url: `nats://me:secret@127.0.0.1:${port}`,
    name: 'test',
    namespace: NAMESPACE,
  }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InfraError);
  expect(error).toMatchObject({ code: 'nats_unreachable', details: { url: `nats://127.0.0.1:${port}` } });
  expect((error as Error).message).toContain(`nats://127.0.0.1:${port}`);
  expect((error as Error).message).not.toContain('secret');
});

test('a lost connection is told, tried again until it is back, and told again', async () => {
  const nats = await TestNats.start();
  const link = await connectNats({ url: nats.url, name: 'test', namespace: NAMESPACE, reconnectMs: 20 });
  const told: string[] = [];
  link.onDisconnect(() => told.push('down'));
  const forget = link.onReconnect(() => told.push('up'));
  expect(link.connected).toBe(true);
  expect(link.serverVersion).toMatch(/^\d+\.\d+\.\d+/);

  await nats.kill();
  await eventually(() => told.length === 1);
  expect(link.connected).toBe(false);
  await nats.restart();
  await eventually(() => told.length === 2);
  expect(link.connected).toBe(true);

  forget();
  await nats.kill();
  await nats.restart();
  await eventually(() => told.length === 3 && link.connected);
  expect(told).toEqual(['down', 'up', 'down']);
  await link.close();
  expect(link.connected).toBe(false);
  await nats.stop();
});

test('closing twice, or while the server is away, is closing once', async () => {
  const nats = await TestNats.start();
  const link = await connectNats({ url: nats.url, name: 'test', namespace: NAMESPACE, reconnectMs: 20 });
  const away = await connectNats({ url: nats.url, name: 'test', namespace: NAMESPACE, reconnectMs: 20 });
  await link.onApplicationShutdown();
  await link.close();
  await nats.kill();
  await eventually(() => !away.connected);
  await away.close();
  await away.close();
  expect(away.connection.isClosed()).toBe(true);
  await nats.stop();
});
