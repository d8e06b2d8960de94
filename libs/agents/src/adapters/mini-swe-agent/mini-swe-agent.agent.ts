import type { CliAdapter, CliEnd, CliExit, CliStart } from '../../cli/cli-adapter';
import { failedEnd } from '../../cli/conclude';
import type { PlacedLayer } from '../../layers/agent-layer';
import { LIMITS_EXCEEDED, readMiniSweTrajectory, TIME_EXCEEDED } from './mini-swe-agent.trajectory';

/** The version of Python that its compiled dependencies are fetched for, and that the image must have. */
const PYTHON = '3.11';
const TRAJECTORY = 'trajectory.json';

/**
 * mini-swe-agent, as measured on 2.4.6: a program of Python that prints for people, and writes its trajectory after each step.
 */
export const miniSweAgent: CliAdapter = {
  name: 'mini-swe-agent',
  package: { registry: 'pip', name: 'mini-swe-agent', version: '2.4.6', python: PYTHON },
  help: null,
  // Also tells that the image has the right Python: the answer is no version where it has not.
  tellsVersion: (layer) => ({ argv: ['python3', '-c', VERSION_PROGRAM], env: pythonEnv(layer) }),
  plan: (start) => ({ argv: argvOf(start), env: envOf(start), stdin: null }),
  reader: () => () => undefined,
  ownLogs: null,
  recordFile: { path: TRAJECTORY, read: readMiniSweTrajectory },
  ended,
};

const VERSION_PROGRAM = [
  'import sys, importlib.metadata as m',
  `print(m.version("mini-swe-agent") if sys.version_info[:2] == (${PYTHON.replace('.', ', ')}) else "Python of the image: " + sys.version.split()[0].rsplit(".", 1)[0] + ", wanted: ${PYTHON}")`,
].join('\n');

function pythonEnv({ dir }: PlacedLayer): Record<string, string> {
  return { PYTHONPATH: `${dir}/site`, PYTHONDONTWRITEBYTECODE: '1', PYTHONNOUSERSITE: '1' };
}

/** The task begins with a line of its own: the template puts its own words before it. */
function argvOf({ model, home, limits, prompt, seconds }: CliStart): string[] {
  const steps = limits.turns === null ? [] : ['-c', `agent.step_limit=${limits.turns}`];
  const flags = ['--yolo', '--exit-immediately', '--cost-limit', '0', '--model', `openai/${model}`, '-c', 'mini.yaml'];
  const time = ['-c', `agent.wall_time_limit_seconds=${seconds}`];
  const files = [`--output=${home}/${TRAJECTORY}`, `--task=\n${prompt}`];
  return ['python3', '-m', 'minisweagent.run.mini', ...flags, ...time, ...steps, ...files];
}

function envOf({ gateway, home, layer }: CliStart): Record<string, string> {
  return {
    ...(layer === null ? {} : pythonEnv(layer)),
    OPENAI_API_BASE: `${gateway.url}/v1`,
    OPENAI_BASE_URL: `${gateway.url}/v1`,
    OPENAI_API_KEY: gateway.token,
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    MSWEA_CONFIGURED: 'true',
    MSWEA_SILENT_STARTUP: '1',
    MSWEA_COST_TRACKING: 'ignore_errors',
    MSWEA_GLOBAL_CONFIG_DIR: `${home}/.config/mini-swe-agent`,
  };
}

/** It exits with 0 at a limit too; what it was, the trajectory says. */
function ended({ exitCode, record, tail }: CliExit): CliEnd {
  if (record.failure === LIMITS_EXCEEDED) return { kind: 'limit', limit: 'turns' };
  if (record.failure === TIME_EXCEEDED) return { kind: 'limit', limit: 'time' };
  return exitCode === 0 ? { kind: 'done' } : failedEnd(exitCode, record, tail);
}
