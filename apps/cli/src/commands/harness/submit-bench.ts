import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PROJECT_ROOT } from '@assay/testing';

export const TOKEN = 'cli-test-token';

/** How the command line ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `assay` as a process of its own, with this environment and no other. */
export async function assay(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  uid?: number,
): Promise<Ended> {
  const hook = join(PROJECT_ROOT, 'libs/service-kit/src/harness/typescript-hook.cjs');
  const child = spawn(process.execPath, ['--require', hook, join(PROJECT_ROOT, 'apps/cli/src/main.ts'), ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, stdout, stderr };
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly body: unknown;
}

/** A dispatcher of which only the answers are there that the command line asks for. */
export class ScriptedDispatcher {
  readonly asked: Asked[] = [];
  /** The answer to a release: an object is JSON. */
  reply: { status: number; body: unknown } = { status: 202, body: {} };
  /** The ids that its suites have. */
  readonly suites = new Map<string, readonly string[]>();
  private readonly server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = request.url ?? '';
      const key = request.headers['idempotency-key'];
      this.asked.push({
        method: request.method ?? '',
        path,
        key: typeof key === 'string' ? key : undefined,
        body: body === '' ? null : (JSON.parse(body) as unknown),
      });
      const { status, body: answer } = this.answerTo(path);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
  });

  static async start(): Promise<ScriptedDispatcher> {
    const dispatcher = new ScriptedDispatcher();
    dispatcher.server.listen(0, '127.0.0.1');
    await once(dispatcher.server, 'listening');
    return dispatcher;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private answerTo(path: string): { status: number; body: unknown } {
    const suite = /^\/v1\/suites\/([^/]+)\/instances$/.exec(path)?.[1];
    if (suite === undefined) return this.reply;
    const instances = this.suites.get(suite);
    if (instances !== undefined) {
      return { status: 200, body: { suite, title: suite, source: 'swebench', instances } };
    }
    const message = `Unknown suite: ${suite}`;
    return { status: 404, body: { statusCode: 404, error: 'Not Found', message, errors: [] } };
  }
}
