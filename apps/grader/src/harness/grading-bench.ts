import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FileArtifactStore } from '@assay/artifacts';
import { AttemptId, ClaimId, InstanceId, Namespace, RunId, type GradeSpec, type ImageSource } from '@assay/contracts';
import type { WorkContext, WorkResult } from '@assay/messaging';
import { sandboxProviders, Scratch, type SandboxProviders } from '@assay/sandbox';
import { contextDigest, GRADER_VERSIONS, packTask } from '@assay/suites';
import { pino } from 'pino';
import { GradeHandler } from '../grade/grade.handler';
import { GradePreparer } from '../grade/grade-preparer';
import { GradeUploader } from '../grade/grade-uploader';

/** Files by path; a path ending in `.sh` becomes executable. */
export type Files = Readonly<Record<string, string>>;

export interface GradeOptions {
  readonly patch: string | null;
  readonly origin?: GradeSpec['patchOrigin'];
  readonly timeoutSeconds?: number;
  readonly memoryMb?: number;
  readonly imageId?: string | null;
  readonly version?: string;
  readonly signal?: AbortSignal;
}

const NAMESPACE = Namespace.parse('gradertest');

/** The grader's handler with real adapters and a store of its own, without coordinator and broker. */
export class GradingBench {
  readonly handler: GradeHandler;

  private constructor(
    readonly dir: string,
    readonly store: FileArtifactStore,
    readonly providers: SandboxProviders,
    private readonly sandbox: 'docker' | 'process',
  ) {
    const preparer = new GradePreparer(store, providers, new Scratch(join(dir, 'work', 'grades')));
    this.handler = new GradeHandler(preparer, new GradeUploader(store), pino({ level: 'silent' }));
  }

  static async open(sandbox: 'docker' | 'process', baseImage: string | null = null): Promise<GradingBench> {
    const dir = await mkdtemp(join(tmpdir(), 'assay-grader-'));
    const store = new FileArtifactStore({ dir: join(dir, 'artifacts'), namespace: NAMESPACE });
    const options = { namespace: NAMESPACE, workDir: join(dir, 'work'), baseImage };
    return new GradingBench(dir, store, sandboxProviders([sandbox], options), sandbox);
  }

  /** What grades left on this host; empty unless something leaks. */
  async left(): Promise<string[]> {
    const lists = await Promise.all(
      ['work/grades', `work/${NAMESPACE}-sandboxes`].map((name) => readdir(join(this.dir, name)).catch(() => [])),
    );
    return lists.flat();
  }

  async close(): Promise<void> {
    for (const provider of this.providers.values()) await provider.reap(() => false);
    await rm(this.dir, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Grades a patch by a Harbor task with these files. */
  async harbor(files: Files, options: GradeOptions): Promise<WorkResult<'grade'>> {
    const task = await mkdtemp(join(this.dir, 'task-'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(task, path)), { recursive: true });
      await writeFile(join(task, path), text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
    }
    const bundle = await this.store.put('task_bundle', 'application/x-tar', await packTask(task));
    const image = { kind: 'build', contextDigest: await contextDigest(join(task, 'environment')) } as const;
    return this.grade({ source: 'harbor', bundle, image, id: 'sample-task' }, options);
  }

  /** Grades a patch by a SWE-bench row in an image that is there. */
  async swebench(row: object, reference: string, options: GradeOptions): Promise<WorkResult<'grade'>> {
    const bundle = await this.store.put('task_bundle', 'application/json', Buffer.from(JSON.stringify(row)));
    const { instance_id: id } = row as { instance_id: string };
    return this.grade({ source: 'swebench', bundle, image: { kind: 'reference', reference }, id }, options);
  }

  /** The stored content of an artifact of a result; null when the result has none of that name. */
  async content(result: WorkResult<'grade'>, name: string): Promise<string | null> {
    const ref = result.artifacts.find((artifact) => artifact.name === name);
    return ref === undefined ? null : (await this.store.get(ref)).toString('utf8');
  }

  private async grade(
    { id, ...instance }: Pick<GradeSpec['instance'], 'source' | 'bundle'> & { image: ImageSource; id: string },
    { patch, origin = 'trial', imageId = null, signal = new AbortController().signal, ...rest }: GradeOptions,
  ): Promise<WorkResult<'grade'>> {
    const instanceId = InstanceId.parse(id);
    const spec: GradeSpec = {
      kind: 'grade',
      instance: { ...instance, id: instanceId },
      sandbox: this.sandbox,
      patch: patch === null ? null : await this.store.put('patch', 'text/x-diff', Buffer.from(patch)),
      patchOrigin: origin,
      grader: {
        version: rest.version ?? GRADER_VERSIONS[instance.source],
        network: 'none',
        user: null,
        timeoutSeconds: rest.timeoutSeconds ?? 60,
        cpus: 1,
        memoryMb: rest.memoryMb ?? 1024,
      },
      limits: {
        wallSeconds: 60,
        turns: null,
        costUsd: null,
        calls: null,
        tokens: null,
        cpus: 1,
        memoryMb: 1024,
        diskMb: 1024,
        pids: 256,
      },
      imageId,
    };
    return this.handler.handle(contextOf(spec, instanceId, signal));
  }
}

function contextOf(spec: GradeSpec, instanceId: InstanceId, signal: AbortSignal): WorkContext<'grade'> {
  return {
    key: { kind: 'grade', runId: RunId.parse(`run-${randomUUID()}`), instanceId, sample: 0 },
    epoch: 1,
    claimId: ClaimId.parse(randomUUID()),
    attempt: 1,
    attemptId: AttemptId.parse(randomUUID()),
    spec,
    deadline: new Date(Date.now() + 3_600_000),
    signal,
    runBudget: { spent: new AbortController().signal, reached: () => null },
    traceparent: '00-11111111111111111111111111111111-2222222222222222-01',
    phase: () => undefined,
    spending: () => undefined,
    ensureFresh: () => Promise.resolve(),
  };
}
