import { CapturedLog } from '../harness/captured-log';
import { FAST } from '../harness/builders';
import { JetStreamServer } from './jetstream-server';

test('what Nest offers of other transports and this one has elsewhere is refused by name', async () => {
  const server = new JetStreamServer({ timings: FAST, logger: new CapturedLog() } as never);
  const refusal = { blame: 'infra', code: 'not_offered' };
  expect(() => server.on()).toThrow(
    expect.objectContaining({ ...refusal, message: 'ask NatsLink for the events of the connection' }) as Error,
  );
  expect(() => server.unwrap()).toThrow(
    expect.objectContaining({ ...refusal, message: 'inject NatsLink instead' }) as Error,
  );
  await server.close();
});
