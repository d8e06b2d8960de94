import { describeNeeding, missingTestImage, PROJECT_ROOT } from '@assay/testing';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

function missing(): string | null {
  const image = missingTestImage();
  if (image !== null) return image;
  return spawnSync('docker-compose', ['version']).status === 0 ? null : 'docker-compose is not installed';
}

describeNeeding(missing(), 'the compose file', () => {
  test('runs the demo through ten executors, one of which is killed', async () => {
    const child = spawn(process.execPath, [join(PROJECT_ROOT, 'tools/compose/e2e.mjs')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    }
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`exit ${String(code)}\n${said.slice(-20_000)}`);
    expect(said).toContain('passed after');
  }, 1_200_000);
});
