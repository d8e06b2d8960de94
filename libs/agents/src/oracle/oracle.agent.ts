import { AgentError, TaskError } from '@assay/failures';
import type { ExecRequest, ExecResult } from '@assay/sandbox';
import { NO_MODEL, NO_USAGE, type AgentReport, type AgentRun, type TrialAgent } from '../trial-agent.port';
import type { TrajectoryStep } from '../trajectory/trajectory-step';

const MAX_OUTPUT = 1_048_576;
const PATCH_FILE = 'oracle.patch';

/**
 * Applies the reference solution: a Harbor task's solution/solve.sh, or a SWE-bench row's patch. What it does not resolve
 * is a fault of the task or of ours, so it is the first check of a new suite.
 */
export const oracleAgent: TrialAgent = {
  name: 'oracle',
  version: '1.0.0',
  model: 'none',
  async run(run): Promise<AgentReport> {
    const command = await solution(run);
    const result = await run.sandbox.exec({
      ...command,
      timeoutMs: Math.max(1, run.deadline.getTime() - Date.now()),
      maxOutputBytes: MAX_OUTPUT,
      signal: run.signal,
      onOutput: (chunk) => {
        run.log(chunk.toString('utf8'));
      },
    });
    const stopped = result.timedOut || run.signal.aborted;
    const step = stepOf(command.command, result);
    run.steps?.step(step);
    return {
      limit: stopped ? 'time' : null,
      usage: NO_USAGE,
      model: NO_MODEL,
      steps: [step],
      crash: result.exitCode === 0 || stopped ? null : failed(result),
    };
  },
};

async function solution({ sandbox, task }: AgentRun): Promise<Pick<ExecRequest, 'command' | 'env' | 'user'>> {
  if (task.solutionPatch !== null) {
    const file = `${sandbox.paths.solution}/${PATCH_FILE}`;
    await sandbox.putFile(file, Buffer.from(task.solutionPatch));
    return { command: ['git', '-c', 'safe.directory=*', 'apply', '--whitespace=nowarn', file] };
  }
  if (task.solutionDir === null) {
    throw new TaskError('the task has no solution, so the oracle cannot solve it', {
      code: 'solution_missing',
      phase: 'agent',
      details: { instance: task.instanceId },
    });
  }
  await sandbox.putFolder(task.solutionDir, sandbox.paths.solution);
  return { command: ['bash', `${sandbox.paths.solution}/solve.sh`], env: { ...task.env, ...task.solutionEnv } };
}

function stepOf(command: readonly string[], result: ExecResult): TrajectoryStep {
  return {
    timestamp: new Date().toISOString(),
    source: 'agent',
    message: 'the reference solution',
    toolCalls: [{ id: 'call-1', name: 'exec', arguments: { command } }],
    observations: [{ callId: 'call-1', content: result.output.toString('utf8') }],
  };
}

function failed({ exitCode, outOfMemory, output }: ExecResult): AgentError {
  return new AgentError(`the reference solution ended with exit ${String(exitCode)}`, {
    code: outOfMemory ? 'agent_out_of_memory' : 'agent_crashed',
    phase: 'agent',
    details: { exitCode, tail: output.toString('utf8').slice(-2_000) },
  });
}
