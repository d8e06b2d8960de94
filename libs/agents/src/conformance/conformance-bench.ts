import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '@assay/sandbox';
import { startModelStandin, type ModelStandin } from '../../../../tools/model-standin/server.mjs';
import { AgentBench } from '../harness/agent-bench';
import { AgentLayers } from '../layers/agent-layers';
import { placedAt, type PlacedLayer } from '../layers/agent-layer';
import { agentNamed, resolveAgent } from '../registry';
import { TrajectoryWriter } from '../trajectory/trajectory-writer';
import type { AgentReport } from '../trial-agent.port';
import { transcripts } from './transcripts';

export const TOKEN = 'trial-token-canary-51d9';
const SLOTS = 4;
const FILES = { 'a.txt': 'orig\n' };

/** One run of a real program, and everything that can be seen of it. */
export interface Outcome {
  readonly report: AgentReport;
  readonly sandbox: Sandbox;
  /** How long it took, and how long it could have. */
  readonly seconds: number;
  readonly wall: number;
  readonly log: string;
  /** Its own logs on the host. */
  readonly ownLogsDir: string;
  readonly writer: TrajectoryWriter;
  /** `a.txt` afterwards. */
  readonly file: string | undefined;
  readonly requests: ModelStandin['requests'];
}

export interface Wish {
  readonly agent: string;
  /** Other than the pinned one. */
  readonly version?: string;
  /** Transcript, one of those in transcripts.ts. */
  readonly task: string;
  /** Wall limit in seconds. */
  readonly seconds: number;
  readonly turns?: number;
  readonly options?: Record<string, unknown>;
  /** Its environment's folder and what is asked; without one, a file to mend. */
  readonly of?: { readonly environmentDir: string; readonly instruction: string };
}

/** Runs agents in process sandboxes against the stand-in of a model. */
export class ConformanceBench {
  private serial = 0;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  private constructor(
    private readonly bench: AgentBench,
    readonly standin: ModelStandin,
    private readonly layers: AgentLayers,
  ) {}

  /** @param dir a folder with transcripts; without one, those of the cases */
  static async open(dir?: string): Promise<ConformanceBench> {
    const bench = await AgentBench.open();
    const transcriptsDir = dir ?? (await written(bench));
    const standin = await startModelStandin({ transcriptsDir, apiKey: TOKEN });
    return new ConformanceBench(bench, standin, new AgentLayers());
  }

  async close(): Promise<void> {
    await this.standin.stop();
    await this.bench.close();
  }

  /** A version of an agent (the pinned one), fetched if need be. @throws InfraError where this machine's registry has it not */
  async layer(name: string, wanted?: string): Promise<PlacedLayer | null> {
    const pack = agentNamed(name).package ?? null;
    if (pack === null) return null;
    const signal = AbortSignal.timeout(600_000);
    const { version, integrity } = await resolveAgent(name, wanted, signal);
    const layer = await this.layers.ensure(pack, { name, version, integrity: integrity ?? '' }, signal);
    return placedAt(layer, layer.hostDir);
  }

  /** Starts it when one of the slots is free: more at the same time would measure the machine. */
  async run(wish: Wish): Promise<Outcome> {
    while (this.running >= SLOTS) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.running += 1;
    try {
      return await this.runNow(wish);
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }

  private async runNow({ agent, version, task, seconds, turns, options = {}, of }: Wish): Promise<Outcome> {
    const layer = await this.layer(agent, version);
    this.serial += 1;
    const serial = this.serial;
    const sandbox = await (of === undefined ? this.bench.sandbox(FILES) : this.bench.sandboxOf(of.environmentDir));
    const ownLogsDir = await this.bench.folder();
    const writer = new TrajectoryWriter(join(this.bench.dir, `steps-${serial}.jsonl`), [TOKEN]);
    const before = this.standin.requests.length;
    let log = '';
    const started = Date.now();
    const report = await agentNamed(agent).run({
      sandbox,
      task: {
        instanceId: task,
        instruction: of?.instruction ?? 'Mend `a.txt`: "it\'s" $HOME @x.\n- Not --a flag.',
        solutionDir: null,
        solutionEnv: {},
        solutionPatch: null,
        env: {},
      },
      limits: {
        wallSeconds: seconds,
        turns: turns ?? null,
        costUsd: null,
        calls: null,
        tokens: null,
        cpus: 1,
        memoryMb: 1024,
        diskMb: 1024,
        pids: 256,
      },
      options,
      model: `model-of-${agent}`,
      endpoint: null,
      gateway: { url: this.standin.url, token: TOKEN },
      layer,
      deadline: new Date(started + seconds * 1000),
      signal: AbortSignal.timeout(seconds * 1000),
      log: (text) => {
        log += text;
      },
      steps: writer,
      ownLogsDir,
    });
    const file = (await sandbox.getFile(`${sandbox.workdir}/a.txt`, 1_000))?.toString();
    const requests = this.standin.requests
      .slice(before)
      .filter((one) => one.task === task && one.model === `model-of-${agent}`);
    const took = (Date.now() - started) / 1000;
    return { report, sandbox, seconds: took, wall: seconds, log, ownLogsDir, writer, file, requests };
  }
}

async function written(bench: AgentBench): Promise<string> {
  const dir = await mkdtemp(join(bench.dir, 'transcripts-'));
  await Promise.all(transcripts().map((one) => writeFile(join(dir, `${one.task}.json`), JSON.stringify(one))));
  return dir;
}
