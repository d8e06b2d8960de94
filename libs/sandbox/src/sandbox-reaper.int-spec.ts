import { eventually } from '@assay/testing';
import { SandboxHarness, workKeyOf } from './conformance/sandbox-harness';
import { ProcessSandboxProvider } from './process/process-provider';
import { SandboxReaper, type SandboxReaperOptions } from './sandbox-reaper';

const path = process.env['PATH'] ?? '/usr/bin:/bin';
const harness = new SandboxHarness({
  name: 'process',
  provider: (namespace, workDir) => new ProcessSandboxProvider({ namespace, workDir, path }),
});

describe('the reaper of a worker', () => {
  let lines: string[] = [];
  beforeAll(() => harness.open());
  afterAll(() => harness.close());
  beforeEach(() => {
    lines = [];
  });

  function reaperWith(liveLeases: SandboxReaperOptions['liveLeases'], everyMs = 60_000): SandboxReaper {
    const write = (_fields: object, sentence: string): void => {
      lines.push(sentence);
    };
    const logger = { debug: write, info: write, warn: write };
    return new SandboxReaper({ providers: new Map([['process', harness.another()]]), liveLeases, everyMs, logger });
  }
  const isThere = async (sandbox: { workdir: string; list(dir: string): Promise<string[]> }): Promise<boolean> =>
    (await sandbox.list(sandbox.workdir)).length > 0;

  test('looks at its start and again and again, and stops when the app ends', async () => {
    const [live, dead] = [workKeyOf('reaper-live'), workKeyOf('reaper-dead')];
    const kept = await harness.sandbox({ key: live });
    const orphan = await harness.sandbox({ key: dead });
    let asked = 0;
    const reaper = reaperWith(() => {
      asked += 1;
      return Promise.resolve([{ key: live, epoch: 1 }]);
    }, 30);
    reaper.onApplicationBootstrap();
    await eventually(async () => !(await isThere(orphan)) && asked > 2);
    await reaper.beforeApplicationShutdown();
    expect(await isThere(kept)).toBe(true);
    expect(lines.filter((line) => line === 'Left-over sandboxes removed')).toHaveLength(1);
  });

  test('removes only what is past its deadline when nobody can say which leases live', async () => {
    const inTime = await harness.sandbox({ key: workKeyOf('reaper-in-time') });
    const overdue = await harness.sandbox({ key: workKeyOf('reaper-overdue'), lifetimeSeconds: 0.001 });
    await reaperWith(() => Promise.reject(new Error('no coordinator'))).reap();
    expect([await isThere(inTime), await isThere(overdue)]).toEqual([true, false]);
  });

  test('asks what open runs want before it tidies images, and tidies also when nobody can say, or not of all', async () => {
    const wanted = { kind: 'reference', reference: 'team/image:1' } as const;
    const seen: unknown[] = [];
    const tidyImages = (needed: unknown): Promise<number> => {
      seen.push(needed);
      return Promise.resolve(2);
    };
    const providers = new Map([['process' as const, Object.assign(harness.another(), { tidyImages })]]);
    const write = (_fields: object, sentence: string): void => {
      lines.push(sentence);
    };
    const logger = { debug: write, info: write, warn: write };
    const options = { providers, liveLeases: () => Promise.resolve([]), everyMs: 60_000, logger };
    const answers = [
      () => Promise.resolve({ needed: [wanted], complete: true }),
      () => Promise.resolve({ needed: [wanted], complete: false }),
      () => Promise.reject(new Error('away')),
    ];
    for (const neededImages of answers) await new SandboxReaper({ ...options, neededImages }).reap();
    await new SandboxReaper(options).reap();
    expect(seen).toEqual([[wanted], null, null, null]);
    expect(lines.filter((line) => line === 'Images beyond the budget removed')).toHaveLength(4);
  });

  test('removes left-over folders too, and tells where it cannot', async () => {
    const write = (fields: object, sentence: string): void => {
      lines.push(sentence, ...Object.keys(fields));
    };
    const logger = { debug: write, info: write, warn: write };
    const options = { providers: new Map(), liveLeases: () => Promise.resolve([]), everyMs: 60_000, logger };
    await new SandboxReaper({ ...options, sweepFolders: () => Promise.resolve(2) }).reap();
    await new SandboxReaper({ ...options, sweepFolders: () => Promise.reject(new Error('read only')) }).reap();
    expect(lines).toEqual(['Left-over folders removed', 'removed', 'Left-over folders could not be removed', 'err']);
  });

  test('tells of a provider that fails and never rejects', async () => {
    const provider = harness.another();
    const broken = Object.assign(provider, { reap: () => Promise.reject(new Error('engine away')) });
    const logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: (_fields: object, sentence: string) => lines.push(sentence),
    };
    const providers = new Map([['process' as const, broken]]);
    await new SandboxReaper({ providers, liveLeases: () => Promise.resolve([]), everyMs: 60_000, logger }).reap();
    expect(lines).toEqual(['Left-over sandboxes could not be removed']);
  });
});
