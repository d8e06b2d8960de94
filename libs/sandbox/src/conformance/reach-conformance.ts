import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Gateway, Sandbox } from '../sandbox.port';
import { SandboxHarness, shell, type Adapter } from './sandbox-harness';

/** What every sandbox may reach beside its own files: mounted folders, and a model gateway. */
export function reachConformance(adapter: Adapter): void {
  describe('reaching mounts and a gateway', () => {
    const harness = new SandboxHarness(adapter);
    const servers: Server[] = [];
    let gateway: Gateway;

    beforeAll(async () => {
      await harness.open();
      const listen = join(await harness.hostDir(), 'listen');
      await mkdir(listen);
      const socket = join(listen, 'model.sock');
      const port = await serve(0);
      await serve(socket);
      gateway = { socket, loopbackUrl: `http://127.0.0.1:${port}` };
    });
    afterAll(async () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
      await harness.close();
    });

    async function serve(where: number | string): Promise<number> {
      const server = createServer((request, response) => {
        request.pipe(response);
      });
      servers.push(server);
      if (typeof where === 'number') server.listen(where, '127.0.0.1');
      else server.listen(where);
      await once(server, 'listening');
      return typeof where === 'number' ? (server.address() as AddressInfo).port : 0;
    }

    /** A big body there and back, as a hash of what came. */
    async function echoed(sandbox: Sandbox): Promise<string> {
      const script = `
        const body = Buffer.alloc(3_000_000, 'x');
        const answer = await fetch('${String(sandbox.gatewayUrl)}/v1', { method: 'POST', body });
        console.log(answer.status, Buffer.from(await answer.arrayBuffer()).equals(body));`;
      const command = ['node', '--input-type=module', '-e', script];
      return (await sandbox.exec({ ...shell(''), command })).output.toString().trim();
    }

    test('the gateway is at the address that the sandbox names', async () => {
      const sandbox = await harness.sandbox({ network: { gateway } });
      expect(await echoed(sandbox)).toBe('200 true');
    });

    test('a sandbox that was made without one names none', async () => {
      expect((await harness.sandbox()).gatewayUrl).toBeNull();
    });

    test('a mounted folder is read and run from where the sandbox says it is', async () => {
      const hostDir = await harness.hostDir();
      await writeFile(join(hostDir, 'tool.sh'), '#!/bin/sh\necho from the layer\n', { mode: 0o755 });
      const sandbox = await harness.sandbox({ mounts: [{ hostDir, insideDir: '/opt/layer' }] });
      const { output } = await sandbox.exec(shell(`${sandbox.inside(hostDir)}/tool.sh`));
      expect(output.toString()).toBe('from the layer\n');
      expect(() => sandbox.inside('/elsewhere')).toThrow(RangeError);
    });

    test('two sandboxes share a mounted folder, and the end of one takes nothing from the other', async () => {
      const hostDir = await harness.hostDir();
      await writeFile(join(hostDir, 'data'), 'kept');
      const mounts = [{ hostDir, insideDir: '/opt/layer' }];
      const [one, two] = await Promise.all([harness.sandbox({ mounts }), harness.sandbox({ mounts })]);
      await one.destroy();
      expect((await two.exec(shell(`cat ${two.inside(hostDir)}/data`))).output.toString()).toBe('kept');
      await two.destroy();
      expect([await readdir(hostDir), await readFile(join(hostDir, 'data'), 'utf8')]).toEqual([['data'], 'kept']);
    });

    test.each([
      ['a folder that is not there', { hostDir: '/no/such/folder', insideDir: '/opt/layer' }],
      ['a path that is not absolute', { hostDir: 'relative', insideDir: '/opt/layer' }],
      ['a place that is not absolute', { hostDir: '/', insideDir: 'layer' }],
    ])('%s is refused as our fault before anything is made', async (_name, mount) => {
      await expect(harness.sandbox({ mounts: [mount] })).rejects.toMatchObject({
        blame: 'infra',
        code: 'mount_refused',
      });
    });
  });
}
