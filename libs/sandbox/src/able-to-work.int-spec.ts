import { once } from 'node:events';
import { createServer } from 'node:net';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Namespace } from '@assay/contracts';
import { ableToWork } from './able-to-work';
import { removeTree } from './remove-tree';
import { DockerSandboxProvider } from './docker/docker-provider';
import { ProcessSandboxProvider } from './process/process-provider';
import { sandboxProviders, type SandboxProviders } from './sandbox-providers';
import type { SandboxProvider } from './sandbox.port';

const namespace = Namespace.parse('able');

test('with a folder to work in the process sandbox is able', async () => {
  const workDir = await mkdtemp(join(tmpdir(), 'assay-able-'));
  await ableToWork(sandboxProviders(['process'], { namespace, workDir, baseImage: null }));
  await removeTree(workDir);
});

test('an engine that takes the call and never answers is our fault within the bound', async () => {
  const workDir = await mkdtemp(join(tmpdir(), 'assay-able-'));
  const socket = join(workDir, 'docker.sock');
  const silent = createServer().listen(socket);
  await once(silent, 'listening');
  process.env['DOCKER_HOST'] = `unix://${socket}`;
  try {
    const docker = new DockerSandboxProvider({ namespace, baseImage: null, answerMs: 200 });
    const plain = new ProcessSandboxProvider({ namespace, workDir, path: '/usr/bin:/bin' });
    const providers: SandboxProviders = new Map<SandboxProvider['name'], SandboxProvider>([
      ['process', plain],
      ['docker', docker],
    ]);
    await expect(ableToWork(providers)).rejects.toMatchObject({ blame: 'infra', code: 'engine_unavailable' });
  } finally {
    delete process.env['DOCKER_HOST'];
    silent.close();
    await removeTree(workDir);
  }
});
