import { readQwenStream } from '../adapters/qwen-code/qwen-code.stream';
import type { CliAdapter } from '../cli/cli-adapter';
import { createCliAgent } from '../cli/create-cli-agent';
import { failedEnd } from '../cli/conclude';
import type { PlacedLayer } from '../layers/agent-layer';
import type { TrialAgent } from '../trial-agent.port';
import type { AgentBench } from './agent-bench';

export const VERSION = '1.2.3';

/** The line by which the stream of qwen-code begins. */
export const INIT = `echo '{"type":"system","subtype":"init","qwen_code_version":"${VERSION}"}'`;

/** A shell function `reply TEXT`: one reply of the model, worth 10 and 2 tokens, as the stream of qwen-code tells it. */
export const REPLY = [
  'reply() {',
  `  echo '{"type":"assistant","message":{"content":[{"type":"text","text":"'"$1"'"}],"usage":{"input_tokens":10,"output_tokens":2}}}'`,
  '}',
].join('\n');

/** An agent whose program is a shell script in a layer of its own. Its events are those of qwen-code. */
export async function scriptAgent(
  bench: AgentBench,
  script: string,
  change: Partial<CliAdapter> = {},
): Promise<{ agent: TrialAgent; layer: PlacedLayer }> {
  const dir = await bench.folder({ 'agent.sh': `${REPLY}\n${script}` });
  const adapter: CliAdapter = {
    name: 'script',
    package: { registry: 'npm', version: VERSION, node: false, parts: () => [] },
    help: null,
    tellsVersion: null,
    plan: ({ layer, prompt, gateway }) => ({
      argv: ['bash', `${layer?.dir ?? ''}/agent.sh`],
      env: { GATEWAY: gateway.url, TOKEN: gateway.token },
      stdin: prompt,
    }),
    reader: readQwenStream,
    ownLogs: null,
    ended: ({ exitCode, record, tail }) => (exitCode === 0 ? { kind: 'done' } : failedEnd(exitCode, record, tail)),
    ...change,
  };
  return { agent: createCliAgent(adapter), layer: { id: dir, version: VERSION, dir } };
}
