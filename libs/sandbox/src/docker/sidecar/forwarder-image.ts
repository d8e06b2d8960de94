import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { pack, type Pack } from 'tar-stream';
import type { Namespace } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { NAMESPACE_LABEL } from '../../labels';
import { inTar } from '../archive-in';
import { statusOf } from '../engine-errors';

/** What passes bytes from a port of the loopback interface to a Unix socket: `node program <port> <socket>`. */
export interface Forwarder {
  /** A Node binary of this machine. */
  readonly node: string;
  /** The program. */
  readonly program: string;
}

/** What an image of ours holds: a Node binary of this machine, and the forwarder where there is one. */
export interface HelperContent {
  readonly node: string;
  readonly program: string | null;
}

/** Where the image has them. */
export const NODE_INSIDE = '/node';
export const PROGRAM_INSIDE = '/forwarder.cjs';

/** Prints every shared object that a Node binary has loaded, its loader included. */
const LIST_LIBRARIES = 'process.stdout.write(JSON.stringify(process.report.getReport().sharedObjects))';

/**
 * The name of an image that holds Node with its libraries, the forwarder if there is one, and nothing else: no shell,
 * nothing of a task. It is made where the engine has none of the same content, and sent over the engine's own socket, so an executor
 * in a container can make it too.
 * @throws InfraError `forwarder_unusable` when Node or the program cannot be read or run
 */
export async function helperImage(docker: Docker, namespace: Namespace, content: HelperContent): Promise<string> {
  const libraries = await librariesOf(content.node);
  const repo = `${namespace}/${content.program === null ? 'node' : 'forwarder'}`;
  const tag = await markOf(content, libraries);
  if (await isThere(docker, `${repo}:${tag}`)) return `${repo}:${tag}`;
  await importImage(docker, { repo, tag, namespace }, filesOf(content, libraries));
  return `${repo}:${tag}`;
}

async function librariesOf(node: string): Promise<string[]> {
  try {
    const { stdout } = await promisify(execFile)(node, ['-e', LIST_LIBRARIES], { env: {}, timeout: 20_000 });
    return (JSON.parse(stdout) as string[]).filter((path) => path.startsWith('/'));
  } catch (cause) {
    throw unusable(`${node} does not run`, cause);
  }
}

/** Changes when anything of the image's content does. */
async function markOf({ node, program }: HelperContent, libraries: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  try {
    if (program !== null) hash.update(await readFile(program));
    for (const file of [node, ...libraries]) {
      const { size, mtimeMs } = await stat(file);
      hash.update(`${file} ${size} ${mtimeMs}\n`);
    }
  } catch (cause) {
    throw unusable('the forwarder cannot be read', cause);
  }
  return hash.digest('hex').slice(0, 32);
}

function filesOf({ node, program }: HelperContent, libraries: readonly string[]): Readable {
  const tar = pack();
  const programs = program === null ? [] : [[program, PROGRAM_INSIDE] as const];
  fill(tar, [[node, NODE_INSIDE], ...programs, ...libraries.map((path) => [path, path] as const)]).then(
    () => {
      tar.finalize();
    },
    (error: unknown) => {
      tar.destroy(unusable('the forwarder cannot be packed', error));
    },
  );
  return Readable.from(tar);
}

async function fill(tar: Pack, files: readonly (readonly [from: string, to: string])[]): Promise<void> {
  for (const [from, to] of files) {
    const { size } = await stat(from);
    const mode = to === PROGRAM_INSIDE ? 0o644 : 0o755;
    await pipeline(createReadStream(from), tar.entry({ name: inTar(to), size, mode }));
  }
}

async function importImage(
  docker: Docker,
  { repo, tag, namespace }: { repo: string; tag: string; namespace: Namespace },
  tar: Readable,
): Promise<void> {
  const changes = `LABEL ${NAMESPACE_LABEL}=${namespace}`;
  const stream = await docker.importImage(tar, { repo, tag, changes });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(stream, (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

async function isThere(docker: Docker, reference: string): Promise<boolean> {
  try {
    await docker.getImage(reference).inspect();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}

function unusable(what: string, cause: unknown): InfraError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new InfraError(`${what}: ${reason}`, { code: 'forwarder_unusable', phase: 'prepare', cause });
}
