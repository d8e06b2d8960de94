import { Module } from '@nestjs/common';
import { z } from 'zod';
import { commonConfig, startService } from './index';

@Module({})
class Empty {}

test('a service starts, answers its health pages and stops', async () => {
  const lines: string[] = [];
  const service = await startService(
    { name: 'grader', config: z.object(commonConfig('grader')), module: () => Empty },
    { NATS_URL: 'nats://127.0.0.1:1', ASSAY_HTTP_PORT: '0', ASSAY_ARTIFACTS_DIR: '/tmp/a' },
    { write: (line: string) => void lines.push(line) },
  );
  const ready = await fetch(`${service.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { ready: true, service: 'grader', phase: 'serving', probes: {} },
  ]);
  await service.stop();
  expect(lines.join('')).toContain('service started');
});
