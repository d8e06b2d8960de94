import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Digest, InstanceId, Namespace, RunId } from '@assay/contracts';
import { DockerSandboxProvider, type Sandbox } from '@assay/sandbox';
import { describeNeeding, missingTestImage, removeTestImages, testImage } from '@assay/testing';
import { inside } from '../../harness/agent-bench';
import { cutHistory } from './cut-history';

const namespace = Namespace.parse(`thist${process.pid.toString(36)}`);
const provider = new DockerSandboxProvider({ namespace, baseImage: testImage() });
const COMMITS = `git init -q -b main . && git config user.name x && git config user.email x@x
RUN echo base > file && git add -A && git commit -qm base && echo secret > file && git commit -qam secret && git tag v2 && git checkout -q --detach HEAD~1`;

describeNeeding(missingTestImage(), 'the history of a repository in an image', () => {
  let dir: string;
  let serial = 0;
  const made: Sandbox[] = [];

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'assay-history-'));
  });
  afterAll(async () => {
    for (const sandbox of made) await sandbox.destroy();
    await rm(dir, { recursive: true });
    await removeTestImages(namespace);
  });

  async function sandboxOf(lines: string): Promise<Sandbox> {
    serial += 1;
    const contextDir = await mkdtemp(join(dir, 'context-'));
    await writeFile(
      join(contextDir, 'Dockerfile'),
      `ARG BASE_IMAGE=x\nFROM \${BASE_IMAGE}\nWORKDIR /testbed\n${lines}\n`,
    );
    const source = { kind: 'build', contextDigest: Digest.parse(String(serial).padStart(64, '0')) } as const;
    const sandbox = await provider.create({
      key: {
        kind: 'trial',
        runId: RunId.parse('run-1'),
        instanceId: InstanceId.parse(`history-${serial}`),
        sample: 0,
      },
      epoch: 1,
      role: 'trial',
      image: await provider.prepareImage(source, contextDir, new AbortController().signal),
      limits: { cpus: 1, memoryMb: 512, diskMb: 512, pids: 64 },
      network: 'none',
      mounts: [],
      user: null,
      lifetimeSeconds: 300,
    });
    made.push(sandbox);
    return sandbox;
  }
  const look = 'git log --all --format=%s; git cat-file --batch-all-objects --batch-check | wc -l';

  test('is cut as root without any capability', async () => {
    const sandbox = await sandboxOf(`RUN ${COMMITS}`);
    expect(await inside(sandbox, look)).toMatch(/^secret\nbase\n\s*6\n$/);
    const [repo] = await cutHistory(sandbox);
    expect(repo).toEqual({ folder: '/testbed/.git', head: expect.stringMatching(/^[0-9a-f]{40}$/) as string });
    expect(await inside(sandbox, look)).toMatch(/^base\n\s*3\n$/);
  });

  test('is cut as the user that it belongs to, whoever the image runs as', async () => {
    const sandbox = await sandboxOf(
      `RUN ${COMMITS}\nRUN chown -R 1000:1000 /testbed && chmod 700 .git && git config --system safe.directory '*'\nUSER 1000`,
    );
    await cutHistory(sandbox);
    expect(await inside(sandbox, look)).toMatch(/^base\n\s*3\n$/);
    expect(await inside(sandbox, 'stat -c %u .git/HEAD .git/objects/pack; git status --short')).toBe('1000\n1000\n');
  });

  test('goes as a whole where the image has no git to look at it with', async () => {
    const sandbox = await sandboxOf(`RUN ${COMMITS}\nRUN rm "$(command -v git)"`);
    expect(await cutHistory(sandbox)).toEqual([]);
    expect(await inside(sandbox, 'ls -A')).toBe('file\n');
  });

  test('that nobody there may write is our fault, before the agent starts', async () => {
    const sandbox = await sandboxOf(`RUN ${COMMITS}\nRUN chown -R 1000:1000 .git/objects && chmod 755 .git/objects`);
    await expect(cutHistory(sandbox)).rejects.toMatchObject({ blame: 'infra', code: 'history_not_cut' });
  });
});
