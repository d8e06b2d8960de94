import { instanceTimes, mean, quantilesOf, wallMs } from './numbers.mjs';
import { residentMb } from './usage.mjs';

const SERVICES = ['coordinator', 'dispatcher', 'executor', 'grader'];

/** One run through real executors and graders, with the agent `nop` in the process sandbox. */
export async function measureRealTrials(stack, { instances, slots }) {
  const runId = await stack.submit(instances);
  await stack.service('grader', { ASSAY_SLOTS: '2' });
  await stack.service('executor', { ASSAY_SLOTS: String(slots) });
  const memory = [];
  await stack.finished(runId, async () => {
    memory.push(await residentMb(stack.pids));
  });
  const times = await instanceTimes(stack, runId, instances);
  return { instances, slots, wallMs: await wallMs(stack, runId), times, memory };
}

/** The lines that tell of it. */
export function realTrialLines({ instances, slots, wallMs: wall, times, memory }, bare) {
  const own = wall / instances;
  const latency = quantilesOf(times.map(({ whole, trial, grade }) => whole - trial - grade));
  const busyMs = times.reduce((sum, { trial, grade }) => sum + trial + grade, 0);
  const quarter = memory[Math.floor(memory.length / 4)];
  return [
    ['instances', `${instances} on ${slots} slots`],
    ['wall time', `${(wall / 1000).toFixed(2)} s`],
    ['instances per second', ((instances / wall) * 1000).toFixed(1)],
    ['wall time per instance', `${own.toFixed(2)} ms (trials and grades included, ${slots} at a time)`],
    ['a trial by itself', `${mean(times.map(({ trial }) => trial)).toFixed(2)} ms`],
    ['all trials and grades by themselves', `${(busyMs / 1000).toFixed(2)} s of worker time`],
    [
      'claim to terminal, less trial and grade',
      `median ${latency(0.5).toFixed(1)} ms, p90 ${latency(0.9).toFixed(1)} ms`,
    ],
    ['wall per instance / limit', (own / bare.limitMs).toFixed(2)],
    ['median latency / limit', (latency(0.5) / bare.limitMs).toFixed(2)],
    ...SERVICES.map((name) => [
      `memory of ${name}`,
      `${quarter[name]} MiB after a quarter, ${memory.at(-1)[name]} MiB at the end`,
    ]),
  ];
}
