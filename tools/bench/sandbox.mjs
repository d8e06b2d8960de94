#!/usr/bin/env node
/**
 * `npm run bench:sandbox`: what a sealed container with its way to the model gateway costs a trial, beside what the engine
 * itself takes for a bare container. Both are measured in the same run, in turns, at the same concurrency:
 *
 * - bare: create, start, exec `true`, remove, by dockerode;
 * - ours: create (with sidecar, folders and bounds), exec `true`, kill. Removal is off a trial's critical path: it goes on
 *   beside the next trials, as in an executor, and its time is in theirs.
 *
 * Ends with 1 when a ratio of medians is above the bound. Needs a Docker engine.
 *
 *   npm run bench:sandbox [-- --trials 24 --rounds 3 --bound 1.3 --image IMAGE --json FILE]
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Docker from 'dockerode';
import { dockerBase } from '../images/choose.mjs';
import { ensureInstalled, inherit, root } from '../install/ensure.mjs';
import { bareTrial, batch, median, sealedTrial } from './sandbox/trials.mjs';

const CONCURRENCIES = [1, 4, 8];

const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '24' },
    rounds: { type: 'string', default: '3' },
    bound: { type: 'string', default: '1.3' },
    image: { type: 'string' },
    json: { type: 'string' },
  },
});
const [trials, rounds, bound] = ['trials', 'rounds', 'bound'].map((name) => {
  const value = Number(values[name]);
  if (Number.isFinite(value) && value > 0) return value;
  process.stderr.write(`--${name} is ${JSON.stringify(values[name])}, expected a number above 0\n`);
  return process.exit(2);
});

await ensureInstalled();
await inherit('npx', ['nx', 'build', 'sandbox', '--output-style=static'], {
  env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
  stdio: ['ignore', 'ignore', 'inherit'],
});
const { DockerSandboxProvider } = createRequire(import.meta.url)('@assay/sandbox');
const docker = new Docker();
const { image, missing } = await dockerBase({ configured: values.image ?? process.env.ASSAY_BASE_IMAGE });
if (image === undefined) {
  process.stderr.write(`bench:sandbox needs a Docker engine and an image: ${missing}\n`);
  process.exit(1);
}
const imageId = (await docker.getImage(image).inspect()).Id;
const namespace = `bench${process.pid}`;
const dir = await mkdtemp(join(tmpdir(), 'assay-bench-'));
const socket = join(dir, 'model.sock');
const gateway = createServer((_request, response) => response.end()).listen(socket);
await once(gateway, 'listening');
try {
  const results = [];
  for (const concurrency of CONCURRENCIES) results.push(await compare(concurrency));
  const worst = Math.max(...results.map(({ ratio }) => ratio));
  process.stdout.write(`the worst ratio is ${worst.toFixed(2)}, the bound ${bound}\n`);
  if (values.json !== undefined) await writeFile(values.json, JSON.stringify({ bound, results }, null, 2));
  if (worst > bound) process.exitCode = 1;
} finally {
  gateway.close();
  await rm(dir, { recursive: true, force: true });
  const label = [`assay.namespace=${namespace}`];
  for (const { Id } of await docker.listImages({ filters: { label } })) await docker.getImage(Id).remove();
}

/** Bare and ours in turns, so that what else the machine does meets both. */
async function compare(concurrency) {
  const forwarder = { node: process.execPath, program: join(root, 'libs/model-gateway/bin/forwarder.cjs') };
  const provider = new DockerSandboxProvider({ namespace, baseImage: null, forwarder });
  const bare = () => bareTrial(docker, imageId);
  const sealed = sealedTrial(provider, { imageId, socket });
  const first = await batch(sealed.run, { concurrency, trials: concurrency });
  await sealed.removed();
  const times = { bare: [], ours: [] };
  const wall = { bare: 0, ours: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const bareBatch = await batch(bare, { concurrency, trials });
    times.bare.push(...bareBatch.times);
    wall.bare += bareBatch.wallMs;
    const start = Date.now();
    times.ours.push(...(await batch(sealed.run, { concurrency, trials })).times);
    await sealed.removed();
    wall.ours += Date.now() - start;
  }
  await provider.close();
  const [bareMs, oursMs, firstMs] = [times.bare, times.ours, first.times].map(median);
  const ratio = oursMs / bareMs;
  const each = (ms) => Math.round(ms / (rounds * trials));
  process.stdout.write(
    `concurrency ${concurrency}: bare ${bareMs} ms, ours ${oursMs} ms, ratio ${ratio.toFixed(2)}` +
      ` (first, with a fresh sidecar: ${firstMs} ms;` +
      ` wall per trial, removal included: bare ${each(wall.bare)} ms, ours ${each(wall.ours)} ms)\n`,
  );
  return { concurrency, bareMs, oursMs, firstMs, ratio, wallMs: { bare: each(wall.bare), ours: each(wall.ours) } };
}
