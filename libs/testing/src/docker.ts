import { spawnSync } from 'node:child_process';
import { request } from 'node:http';
import Docker from 'dockerode';

/** Null when a Docker engine answers on its local socket, else why not. */
export function missingDocker(socket = '/var/run/docker.sock'): Promise<string | null> {
  return new Promise((resolve) => {
    const call = request({ socketPath: socket, path: '/_ping', timeout: 2_000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 ? null : `the Docker engine answers ${String(answer.statusCode)}`);
    });
    call.once('timeout', () => call.destroy(new Error('no answer within 2 s')));
    call.once('error', (error) => {
      resolve(`no Docker engine at ${socket}: ${error.message}`);
    });
    call.end();
  });
}

const ASK_ENGINE = `
const [socketPath, path] = process.argv.slice(1);
const call = require('node:http').request({ socketPath, path, timeout: 2000 }, (answer) => {
  answer.resume();
  process.stdout.write(String(answer.statusCode));
});
call.once('timeout', () => call.destroy(new Error('no answer within 2 s')));
call.once('error', (error) => process.stdout.write(error.message));
call.end();
`;

/** The image that tests build on: ASSAY_BASE_IMAGE, or the one that tools/images makes. */
export function testImage(): string {
  return process.env['ASSAY_BASE_IMAGE'] ?? 'assay/base:local';
}

/**
 * Null when a Docker engine answers on its local socket and has `testImage()`, else what is missing. It blocks, so that
 * a test file can ask before it describes its tests.
 */
export function missingTestImage(socket = '/var/run/docker.sock'): string | null {
  const image = testImage();
  const { stdout } = spawnSync(process.execPath, ['-e', ASK_ENGINE, socket, `/images/${image}/json`], {
    encoding: 'utf8',
  });
  if (stdout === '200') return null;
  if (stdout === '404') return `the image ${image} (node tools/images/base.mjs makes it)`;
  return `a Docker engine at ${socket}: ${stdout}`;
}

/**
 * Removes the images that a test's namespace has built, and who looks at the engine's disk for its workers, which ends with
 * them but not before. An engine that is away has none.
 */
export async function removeTestImages(namespace: string): Promise<void> {
  if ((await missingDocker()) !== null) return;
  const docker = new Docker();
  const ofNamespace = `assay.namespace=${namespace}`;
  const lookers = { label: [ofNamespace, 'assay.role=disk'] };
  for (const { Id } of await docker.listContainers({ all: true, filters: lookers })) {
    await docker.getContainer(Id).remove({ force: true }).catch(unlessGone);
  }
  const filters = { label: [ofNamespace] };
  for (const { Id } of await docker.listImages({ filters })) await docker.getImage(Id).remove({ force: true });
}

/** 404: it is gone; 409: it is going. */
function unlessGone(error: unknown): void {
  const { statusCode } = error as { statusCode?: number };
  if (statusCode !== 404 && statusCode !== 409) throw error;
}
