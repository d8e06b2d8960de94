import Docker from 'dockerode';
import { BASE_TAG, buildBase, cannotBuild, hasImage } from './base.mjs';

/** The public image that the example tasks name; used where it is there or a registry can be reached. */
export const PUBLIC_BASE = 'node:22-bookworm';

const PULL_TIMEOUT_MS = 300_000;

/**
 * An image for the example tasks: the configured one, one that the engine has, one that can be pulled, or one that can
 * be made here.
 * @param {{configured?: string, note?: (line: string) => void, signal?: AbortSignal}} options `signal` ends a pull; an
 *   image that is being made is made to its end
 * @returns {Promise<{image: string} | {missing: string}>} `missing` says in words why Docker cannot be used
 */
export async function dockerBase({ configured, note = () => {}, signal } = {}) {
  const docker = new Docker({ timeout: PULL_TIMEOUT_MS });
  const missing = await missingEngine(docker, signal);
  if (missing !== null) return { missing };
  for (const image of configured === undefined ? [BASE_TAG, PUBLIC_BASE] : [configured]) {
    if (await hasImage(docker, image)) return { image };
  }
  const wanted = configured ?? PUBLIC_BASE;
  note(`pulling ${wanted}`);
  const pull = await pulled(docker, wanted, signal);
  signal?.throwIfAborted();
  if (pull === null) return { image: wanted };
  if (configured !== undefined)
    return { missing: `the image ${configured} is not there and cannot be pulled (${pull})` };
  const reason = cannotBuild();
  if (reason !== null) return { missing: `no base image: ${wanted} cannot be pulled (${pull}), and ${reason}` };
  note(`${wanted} cannot be pulled; making ${BASE_TAG} with debootstrap (about a minute)`);
  await buildBase(docker, BASE_TAG, note);
  return { image: BASE_TAG };
}

/** Null when an engine answers, else what is missing in words. */
export async function missingEngine(docker = new Docker({ timeout: 10_000 }), abortSignal) {
  try {
    await docker.ping({ abortSignal });
    return null;
  } catch (error) {
    const { DOCKER_HOST: host = '' } = process.env;
    const where = host === '' ? '' : ` at DOCKER_HOST=${JSON.stringify(host)}`;
    return `no Docker engine answers${where} (${error.code ?? error.message})`;
  }
}

/**
 * What the engine has: limits beyond it are refused before a run is submitted.
 * @returns {Promise<{cpus: number, memoryMb: number}>}
 */
export async function engineSize(docker = new Docker({ timeout: 10_000 })) {
  const { NCPU, MemTotal } = await docker.info();
  return { cpus: NCPU, memoryMb: MemTotal / 1_048_576 };
}

/** Null when the image was pulled, else the reason. */
async function pulled(docker, image, abortSignal) {
  try {
    const stream = await docker.pull(image, { abortSignal });
    await new Promise((resolve, reject) =>
      docker.modem.followProgress(stream, (error) => (error ? reject(error) : resolve())),
    );
    return null;
  } catch (error) {
    return error.message.split('\n')[0];
  }
}
