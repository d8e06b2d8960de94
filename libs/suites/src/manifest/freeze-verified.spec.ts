import { type ArtifactRef, type Digest, SubmitRequest } from '@assay/contracts';
import { describeWithData, sharedData, withTempDir } from '@assay/testing';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { loadSuite } from '../suite/load-suite';
import { freezeManifest } from './freeze-manifest';

const FILE = 'swebench/verified.jsonl.gz';

const store = {
  put: (name: string, mediaType: string, content: Buffer): Promise<ArtifactRef> => {
    const digest = createHash('sha256').update(content).digest('hex') as Digest;
    return Promise.resolve({ name, digest, size: content.length, mediaType });
  },
};

async function frozen(dir: string, rows: string, change: Record<string, unknown> = {}) {
  const file = join(dir, 'verified.yaml');
  await writeFile(
    file,
    'schema: assay.suite/1\nname: verified\ntitle: SWE-bench Verified\nagent: { name: nop }\n' +
      "dataset: { name: swe-bench/swe-bench-verified, revision: '2' }\n" +
      `source: { kind: swebench, file: ${rows} }\npublish: score\nbenchmarkSize: 500\nerrorThreshold: 10\n`,
  );
  const evaluated = { ref: 'v1.2.0', commit: 'c'.repeat(40), packageVersion: '1.2.0' };
  const request = SubmitRequest.parse({
    suite: 'verified',
    evaluated,
    model: 'm',
    trigger: 'release',
    ...change,
  });
  const agents = [{ name: 'nop', version: '1', integrity: null }];
  const suite = await loadSuite(file);
  return freezeManifest({ suite, request, evaluated, store, agents, sandbox: 'docker', buildDigest: null });
}

describeWithData('SWE-bench Verified', FILE, () => {
  test('is frozen whole, in order; limit k is the first k; one comes by its id', () =>
    withTempDir(async (dir) => {
      const ids = async (change: Record<string, unknown>) =>
        (await frozen(dir, sharedData(FILE), change)).instances.map(({ id }) => String(id));
      const all = await ids({});
      expect(all).toHaveLength(500);
      expect(all).toEqual([...all].sort());
      expect(await ids({ limit: 5 })).toEqual([
        'astropy__astropy-12907',
        'astropy__astropy-13033',
        'astropy__astropy-13236',
        'astropy__astropy-13398',
        'astropy__astropy-13453',
      ]);
      expect(await ids({ limit: 500 })).toEqual(all);
      expect(await ids({ limit: 1, instanceId: 'sympy__sympy-20590' })).toEqual(['sympy__sympy-20590']);
    }));

  test('with a row more or less is refused, whatever is asked for', () =>
    withTempDir(async (dir) => {
      const lines = gunzipSync(await readFile(sharedData(FILE)))
        .toString('utf8')
        .trimEnd()
        .split('\n');
      const [first = ''] = lines;
      await writeFile(join(dir, 'less.jsonl'), lines.slice(1).join('\n'));
      await writeFile(join(dir, 'more.jsonl'), [...lines, first.replaceAll('astropy-12907', 'astropy-1')].join('\n'));
      await writeFile(join(dir, 'twice.jsonl'), [...lines, first].join('\n'));
      await expect(frozen(dir, 'less.jsonl', { limit: 1 })).rejects.toThrow(
        'Expected exactly 500 SWE-bench Verified instances, found 499',
      );
      await expect(frozen(dir, 'more.jsonl')).rejects.toThrow(
        'Expected exactly 500 SWE-bench Verified instances, found 501',
      );
      await expect(frozen(dir, 'twice.jsonl')).rejects.toThrow(
        '  501 instance_id: expected an id that occurs once, it is also in line 1, got "astropy__astropy-12907"',
      );
    }));
});
