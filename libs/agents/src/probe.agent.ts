import { InfraError } from '@assay/failures';
import type { ExecResult } from '@assay/sandbox';
import type { TrajectoryStep } from './trajectory/trajectory-step';
import { NO_MODEL, NO_USAGE, type AgentReport, type AgentRun, type TrialAgent } from './trial-agent.port';

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 4_096;

/** Asks the gateway for nothing that costs anything, with what every image with bash has; prints the status line. */
const REACH = [
  'exec 3<>"/dev/tcp/$PROBE_HOST/$PROBE_PORT" || exit 1',
  String.raw`printf 'GET / HTTP/1.0\r\nHost: %s\r\n\r\n' "$PROBE_HOST" >&3`,
  'IFS= read -r -t 20 line <&3 || exit 1',
  String.raw`case "$line" in HTTP/1.*) printf '%s\n' "$line" ;; *) exit 1 ;; esac`,
].join('\n');

/**
 * Checks the sandbox that it is in, and does no work: a command can be run and, where this executor has a gateway, the
 * gateway answers. Asks no model. What fails is ours.
 */
export const probeAgent: TrialAgent = {
  name: 'probe',
  version: '1.0.0',
  model: 'inside',
  async run(run): Promise<AgentReport> {
    const started = await check(run, 'a command can be run', ['true'], {});
    const { gateway = null } = run;
    const reached =
      gateway === null ? [] : [await check(run, 'the gateway answers', ['bash', '-c', REACH], addressOf(gateway.url))];
    const steps = [started, ...reached];
    for (const step of steps) run.steps?.step(step);
    return { limit: null, usage: NO_USAGE, model: NO_MODEL, steps, crash: null };
  },
};

function addressOf(url: string): Record<string, string> {
  const { hostname, port, protocol } = new URL(url);
  return { PROBE_HOST: hostname, PROBE_PORT: port === '' ? (protocol === 'https:' ? '443' : '80') : port };
}

/** @throws InfraError `probe_failed` naming what does not hold */
async function check(
  { sandbox, signal, log }: AgentRun,
  what: string,
  command: string[],
  env: Record<string, string>,
): Promise<TrajectoryStep> {
  const result = await sandbox.exec({ command, env, timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT, signal });
  const output = result.output.toString('utf8');
  log(`${what}: exit ${String(result.exitCode)} ${output}\n`);
  if (result.exitCode !== 0 || result.timedOut) throw failed(what, result, output);
  return {
    timestamp: new Date().toISOString(),
    source: 'agent',
    message: what,
    toolCalls: [{ id: 'call-1', name: 'exec', arguments: { command } }],
    observations: [{ callId: 'call-1', content: output }],
  };
}

function failed(what: string, { exitCode, timedOut }: ExecResult, output: string): InfraError {
  const how = timedOut ? `no end within ${TIMEOUT_MS / 1_000} s` : `exit ${String(exitCode)}`;
  return new InfraError(`the check that ${what} failed: ${how}`, {
    code: 'probe_failed',
    phase: 'agent',
    details: { exitCode, timedOut, output },
  });
}
