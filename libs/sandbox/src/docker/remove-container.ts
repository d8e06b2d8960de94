import type Docker from 'dockerode';
import { setTimeout as delay } from 'node:timers/promises';
import { answered } from './bounded';
import { statusOf } from './engine-errors';

/** What the removal by another may take: 40,000 small files need some seconds. */
const REMOVE_MS = 120_000;

/** Kills a container; one that is gone (404) or does not run (409) is what was asked for. */
export async function killContainer(container: Docker.Container): Promise<void> {
  try {
    await answered(container.kill(), 'agent');
  } catch (error) {
    if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
  }
}

/** Removes a container and its volumes; when another is at it already, waits until it is gone. Gone before is fine. */
export async function removeContainer(container: Docker.Container): Promise<void> {
  try {
    await answered(container.remove({ force: true, v: true }), 'agent', REMOVE_MS);
  } catch (error) {
    const status = statusOf(error);
    if (status === 404) return;
    if (status !== 409 || !/in progress/i.test(String(error))) throw error;
    await gone(container);
  }
}

async function gone(container: Docker.Container): Promise<void> {
  const until = Date.now() + REMOVE_MS;
  while (Date.now() < until) {
    try {
      await answered(container.inspect(), 'agent');
    } catch (error) {
      if (statusOf(error) === 404) return;
      throw error;
    }
    await delay(50);
  }
}
