import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PROJECT_ROOT } from '@assay/testing';

test('where DOCKER_HOST leads to no engine, the variable and its value are named', () => {
  const choose = JSON.stringify(join(PROJECT_ROOT, 'tools/images/choose.mjs'));
  const script = `import(${choose}).then(({ missingEngine }) => missingEngine()).then(console.log)`;
  const env = { PATH: process.env['PATH'] ?? '', DOCKER_HOST: 'tcp://127.0.0.1:1' };
  expect(execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' })).toBe(
    'no Docker engine answers at DOCKER_HOST="tcp://127.0.0.1:1" (ECONNREFUSED)\n',
  );
});
