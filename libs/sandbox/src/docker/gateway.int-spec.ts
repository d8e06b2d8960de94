import Docker from 'dockerode';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Namespace } from '@assay/contracts';
import { describeNeeding, eventually, missingTestImage, PROJECT_ROOT, testImage } from '@assay/testing';
import { SandboxHarness, shell, TEST_FORWARDER, workKeyOf } from '../conformance/sandbox-harness';
import { removeTree } from '../remove-tree';
import type { Sandbox } from '../sandbox.port';
import { DockerSandboxProvider } from './docker-provider';

const providerOf = (namespace: Namespace, idleSidecarMs = 300_000) =>
  new DockerSandboxProvider({ namespace, baseImage: testImage(), forwarder: TEST_FORWARDER, idleSidecarMs });
const harness = new SandboxHarness({ name: 'docker', provider: (namespace) => providerOf(namespace) });
const docker = new Docker();

/** Asks the gateway for a path, with what the base image has. */
const ASK = (path: string) =>
  `import urllib.request as r; print(r.urlopen("http://127.0.0.1:8080${path}", timeout=10).read().decode())`;

describeNeeding(missingTestImage(), 'a container with a model gateway', () => {
  let dir: string;
  let socket: string;
  let server: Server;

  beforeAll(async () => {
    await harness.open();
    dir = await mkdtemp(join(tmpdir(), 'assay-gateway-'));
    await mkdir(join(dir, 'listen'));
    socket = join(dir, 'listen', 'model.sock');
    server = createServer((request, response) => response.end(`you asked for ${request.url ?? ''}`));
    server.listen(socket);
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await harness.close();
    await removeTree(dir);
  });

  const withGateway = (overrides = {}, provider = harness.provider): Promise<Sandbox> =>
    harness.sandbox({ network: { gateway: { socket, loopbackUrl: 'http://127.0.0.1:1' } }, ...overrides }, provider);
  const ask = async (sandbox: Sandbox, path = '/v1/models'): Promise<string> =>
    (await sandbox.exec({ ...shell(''), command: ['python3', '-c', ASK(path)] })).output.toString().trim();

  /** Sidecars of the test's namespace, running or not. */
  async function sidecars(): Promise<Docker.ContainerInfo[]> {
    const label = [`assay.namespace=${harness.namespace}`, 'assay.role=gateway'];
    return docker.listContainers({ all: true, filters: { label } });
  }

  test('reaches it at the address it is told, and nothing else: only lo, no name is resolved', async () => {
    const sandbox = await withGateway();
    expect(sandbox.gatewayUrl).toBe('http://127.0.0.1:8080');
    expect(await ask(sandbox)).toBe('you asked for /v1/models');
    const { output } = await sandbox.exec(shell('ls /sys/class/net; getent hosts example.com || echo no name'));
    expect(output.toString()).toBe('lo\nno name\n');
    const outside = `import socket; socket.create_connection(("1.1.1.1", 80), 5)`;
    const tried = await sandbox.exec({ ...shell(''), command: ['python3', '-c', outside] });
    expect(tried.output.toString()).toContain('Network is unreachable');
  });

  test('reaches no service of the host, whatever address of the host it tries', async () => {
    const service = createServer((_request, response) => response.end('host service')).listen(0, '0.0.0.0');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
    const probe = `
import json, socket, sys
for address in json.loads(sys.argv[1]) + ["127.0.0.1", "host.docker.internal", "gateway.docker.internal"]:
    try:
        socket.create_connection((address, int(sys.argv[2])), 2)
        print("reached", address)
    except OSError:
        pass
print("done")`;
    try {
      const sandbox = await withGateway();
      const command = ['python3', '-c', probe, JSON.stringify(addresses), String(port)];
      expect((await sandbox.exec({ ...shell(''), command })).output.toString()).toBe('done\n');
    } finally {
      service.close();
    }
  });

  test('sees neither the socket nor its folder, and has none of the other rights of a sidecar', async () => {
    const sandbox = await withGateway();
    const script = `grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status; ls /run/model; grep -c model.sock /proc/mounts`;
    const { output } = await sandbox.exec(shell(script));
    expect(output.toString()).toMatch(/^CapEff:\t0+\nNoNewPrivs:\t1\nSeccomp:\t2\n.*No such file.*\n0\n$/);
  });

  test('without one a sandbox has no address, and no port answers', async () => {
    const sandbox = await harness.sandbox();
    expect(sandbox.gatewayUrl).toBeNull();
    expect(await ask(sandbox)).toContain('Connection refused');
  });

  test('two at the same time have a network each', async () => {
    const [one, two] = await Promise.all([withGateway(), withGateway()]);
    await one.exec(shell('(python3 -m http.server 9999 --bind 127.0.0.1 >/dev/null 2>&1 &)'));
    const probe = shell('python3 -c "import socket; socket.create_connection((\'127.0.0.1\', 9999), 2)"');
    await eventually(async () => (await one.exec(probe)).exitCode === 0);
    expect((await two.exec(probe)).output.toString()).toContain('Connection refused');
  });

  test('what serves the gateway to one sandbox serves the next, after all that ran in the first is dead', async () => {
    const provider = providerOf(harness.namespace);
    const first = await withGateway({}, provider);
    await first.exec(shell('(setsid python3 -m http.server 9999 --bind 127.0.0.1 >/dev/null 2>&1 &)'));
    const network = async ({ id }: Sandbox) => (await docker.getContainer(id).inspect()).HostConfig.NetworkMode;
    const served = await network(first);
    await first.destroy();
    const second = await withGateway({}, provider);
    expect(await network(second)).toBe(served);
    const probe = shell('python3 -c "import socket; socket.create_connection((\'127.0.0.1\', 9999), 2)"');
    expect((await second.exec(probe)).output.toString()).toContain('Connection refused');
    expect(await ask(second)).toBe('you asked for /v1/models');
    await second.destroy();
    await provider.close();
    await eventually(async () => (await sidecars()).every(({ Id }) => !served?.includes(Id)));
  });

  test('a connection that one sandbox closed holds no port of the next', async () => {
    const provider = providerOf(harness.namespace);
    // The side that closes first keeps the port: here the listening one, as a server that an agent tries out.
    const closes = [
      'import socket',
      's = socket.socket(); s.bind(("127.0.0.1", 3000)); s.listen()',
      'c = socket.create_connection(("127.0.0.1", 3000)); a, _ = s.accept()',
      'a.close(); c.recv(1); c.close(); s.close()',
      'print("done")',
    ].join('\n');
    const run = async (sandbox: Sandbox) =>
      (await sandbox.exec({ ...shell(''), command: ['python3', '-c', closes] })).output.toString().trim();
    const first = await withGateway({}, provider);
    expect(await run(first)).toBe('done');
    await first.destroy();
    const second = await withGateway({}, provider);
    expect(await run(second)).toBe('done');
    await second.destroy();
    await provider.close();
  });

  test('one that serves nobody for a while is removed', async () => {
    const provider = providerOf(harness.namespace, 200);
    const sandbox = await withGateway({}, provider);
    const { NetworkMode } = (await docker.getContainer(sandbox.id).inspect()).HostConfig;
    await sandbox.destroy();
    await eventually(async () => (await sidecars()).every(({ Id }) => !NetworkMode?.includes(Id)));
  });

  test('its end under a command is our fault, not an answer of the command', async () => {
    const sandbox = await withGateway({}, providerOf(harness.namespace));
    const { NetworkMode = '' } = (await docker.getContainer(sandbox.id).inspect()).HostConfig;
    let up = false;
    const running = sandbox.exec(shell('echo up; sleep 60', { onOutput: () => (up = true) })).catch((e: unknown) => e);
    await eventually(() => up);
    await docker.getContainer(NetworkMode.replace('container:', '')).kill();
    expect(await running).toMatchObject({ blame: 'infra', code: 'gateway_lost' });
    await expect(sandbox.exec(shell('true'))).rejects.toMatchObject({ blame: 'infra', code: 'gateway_lost' });
  });

  test('a socket that is nowhere, or a forwarder that does not run, is our fault, and leaves nothing', async () => {
    const before = (await sidecars()).length;
    const nowhere = { gateway: { socket: '/nowhere/at/all/model.sock', loopbackUrl: '' } };
    await expect(withGateway({ network: nowhere })).rejects.toMatchObject({ blame: 'infra', code: 'engine_failed' });
    for (const [program, code] of [
      ['jest.base.js', 'gateway_sidecar_failed'],
      ['no-such-program', 'forwarder_unusable'],
    ] as const) {
      const own = { node: process.execPath, program: join(PROJECT_ROOT, program) };
      const { namespace } = harness;
      const provider = new DockerSandboxProvider({ namespace, baseImage: testImage(), forwarder: own });
      await expect(withGateway({}, provider)).rejects.toMatchObject({ blame: 'infra', code });
    }
    expect(await sidecars()).toHaveLength(before);
  });

  test('an executor without a forwarder refuses it as its own fault', async () => {
    const provider = new DockerSandboxProvider({ namespace: harness.namespace, baseImage: testImage() });
    await expect(withGateway({}, provider)).rejects.toMatchObject({ blame: 'infra', code: 'gateway_not_offered' });
  });

  test('it needs nothing of the image: no shell, no Node, no libraries', async () => {
    const { NetworkMode = '' } = (await docker.getContainer((await withGateway()).id).inspect()).HostConfig;
    const sidecar = await docker.getContainer(NetworkMode.replace('container:', '')).inspect();
    expect(sidecar.HostConfig).toMatchObject({
      NetworkMode: 'none',
      CapDrop: ['ALL'],
      ReadonlyRootfs: true,
      SecurityOpt: ['no-new-privileges'],
      LogConfig: { Type: 'none' },
    });
    expect(JSON.stringify(sidecar.Config.Env)).not.toMatch(/KEY|TOKEN|SECRET/i);
    expect(sidecar.Mounts.map(({ Destination, RW }) => [Destination, RW])).toEqual([['/run/model', false]]);
    expect(await filesOf(sidecar.Image)).not.toContain('bin/sh');
  });

  test('when its executor is killed it ends by itself and the engine removes it', async () => {
    const known = new Set((await sidecars()).map(({ Id }) => Id));
    const owner = await startOwner();
    const own = async (): Promise<boolean> => (await sidecars()).some(({ Id }) => !known.has(Id));
    expect(await own()).toBe(true);
    owner.kill('SIGKILL');
    await eventually(async () => !(await own()));
    expect(await harness.another().reap(({ instanceId }) => instanceId !== 'owner')).toBe(1);
  });

  test('one that is past its deadline, or never started, is reaped; one that runs is left alone', async () => {
    const provider = harness.another();
    const sandbox = await withGateway();
    const Labels = { 'assay.namespace': harness.namespace, 'assay.role': 'gateway' };
    const HostConfig = { NetworkMode: 'none' };
    const overdue = await docker.createContainer({
      Image: testImage(),
      Entrypoint: ['sleep', '60'],
      Labels: { ...Labels, 'assay.deadline': String(Date.now() - 1) },
      HostConfig,
    });
    await overdue.start();
    const young = await docker.createContainer({
      Image: testImage(),
      Entrypoint: ['true'],
      Labels: { ...Labels, 'assay.deadline': String(Date.now() + 60_000) },
      HostConfig,
    });
    expect(await provider.reap(() => true)).toBe(1);
    await expect(overdue.inspect()).rejects.toMatchObject({ statusCode: 404 });
    expect((await young.inspect()).State.Status).toBe('created');
    await young.remove();
    expect(await ask(sandbox)).toBe('you asked for /v1/models');
  });

  /** An executor of its own process with one sandbox, whose gateway is ours. */
  async function startOwner(): Promise<ChildProcess> {
    const request = {
      key: workKeyOf('owner'),
      epoch: 1,
      role: 'trial',
      image: await harness.image(),
      limits: { cpus: 1, memoryMb: 256, diskMb: 512, pids: 64 },
      network: { gateway: { socket, loopbackUrl: '' } },
      mounts: [],
      user: null,
      lifetimeSeconds: 300,
    };
    const args = ['-e', OWNER, harness.namespace, JSON.stringify(TEST_FORWARDER), JSON.stringify(request)];
    const owner = spawn(process.execPath, args, { cwd: PROJECT_ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(owner.stdout, 'data');
    return owner;
  }
});

/** An executor that makes a sandbox of ours and then does nothing more: it is killed by the test. */
const OWNER = `
const { transformFileSync } = require('@swc/core');
const Module = require('node:module');
Module._extensions['.ts'] = (module, file) => module._compile(transformFileSync(file, { configFile: '.swcrc' }).code, file);
const resolve = Module._resolveFilename;
Module._resolveFilename = (name, ...rest) =>
  resolve(name.replace(/^@assay\\/(.*)$/, process.cwd() + '/libs/$1/src/index.ts'), ...rest);
const { DockerSandboxProvider } = require('./libs/sandbox/src/docker/docker-provider.ts');
const [namespace, forwarder, request] = process.argv.slice(1);
const provider = new DockerSandboxProvider({ namespace, baseImage: null, forwarder: JSON.parse(forwarder) });
provider.create(JSON.parse(request)).then(() => process.stdout.write('up'));
setInterval(() => undefined, 1000);
`;

async function filesOf(image: string): Promise<string[]> {
  const container = await docker.createContainer({ Image: image, Cmd: ['x'] });
  try {
    const { extract } = await import('tar-stream');
    const tar = extract();
    const names: string[] = [];
    (await container.export()).pipe(tar);
    for await (const entry of tar) {
      names.push(entry.header.name);
      entry.resume();
    }
    return names;
  } finally {
    await container.remove();
  }
}
