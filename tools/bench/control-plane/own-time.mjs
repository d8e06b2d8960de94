import { fileURLToPath } from 'node:url';
import { instanceTimes, quantilesOf, wallMs } from './numbers.mjs';
import { cpuMs, residentMb } from './usage.mjs';

const DRIVER = fileURLToPath(new URL('./driver.mjs', import.meta.url));

/**
 * One run through driver.mjs: trial and grade cost nothing, so all that is measured is the pipeline.
 * @returns what it took in all, and CPU per process, memory and latency
 */
export async function measureOwnTime(stack, { instances, slots }) {
  const runId = await stack.submit(instances);
  const memory = [await residentMb(stack.pids)];
  const before = await cpuMs(stack.pids);
  const { startMs } = await stack.program('driver', DRIVER, [String(slots)]);
  await stack.finished(runId, async () => {
    memory.push(await residentMb(stack.pids));
  });
  const after = await cpuMs(stack.pids);
  await stack.end('driver');
  const latency = (await instanceTimes(stack, runId, instances)).map(
    ({ whole, trial, grade }) => whole - trial - grade,
  );
  return {
    instances,
    slots,
    wallMs: await wallMs(stack, runId),
    latency: quantilesOf(latency),
    cpu: Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? startMs)]),
    coordinatorMb: [0, 0.25, 0.5, 0.75, 1].map((share) => memory[Math.round(share * (memory.length - 1))].coordinator),
  };
}

/** The lines that tell of it. */
export function ownTimeLines({ instances, slots, wallMs: wall, latency, cpu, coordinatorMb }, bare) {
  const own = wall / instances;
  const busy = cpu.map(([name, ms]) => [name, ms / instances]);
  const all = busy.reduce((sum, [, ms]) => sum + ms, 0);
  return [
    ['instances', `${instances} on ${slots} ${slots === 1 ? 'slot' : 'slots'}, trials and grades that cost nothing`],
    ['instances per second', ((instances / wall) * 1000).toFixed(1)],
    ['wall time per instance', `${own.toFixed(2)} ms`],
    ['claim to terminal', `median ${latency(0.5).toFixed(1)} ms, p90 ${latency(0.9).toFixed(1)} ms`],
    ...busy.map(([name, ms]) => [`CPU per instance: ${name}`, `${ms.toFixed(2)} ms`]),
    ['CPU per instance: all', `${all.toFixed(2)} ms`],
    ['memory of the coordinator', `${coordinatorMb.join(', ')} MiB (start, quarters, end)`],
    ['wall per instance / limit', (own / bare.limitMs).toFixed(2)],
    ['median claim to terminal / limit', (latency(0.5) / bare.limitMs).toFixed(2)],
  ];
}
