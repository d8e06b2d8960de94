import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileArtifactStore } from '@assay/artifacts';
import { Digest, Namespace } from '@assay/contracts';
import { storedPredictions } from './stored-predictions';

let dir: string;
let store: FileArtifactStore;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-stored-predictions-'));
  store = new FileArtifactStore({ dir, namespace: Namespace.parse('test') });
});
afterEach(() => rm(dir, { recursive: true }));

const stored = async (text: string) => (await store.put('predictions', 'application/jsonl', Buffer.from(text))).digest;

test('a set has one prediction for each instance, and an empty patch is none', async () => {
  const lines = ['a__a-1', 'a__a-2'].map((id, at) =>
    JSON.stringify({ instance_id: id, model_name_or_path: 'm', model_patch: at === 0 ? 'diff' : '' }),
  );
  const { of } = await storedPredictions(store, await stored(`${lines.join('\n')}\n`));
  expect([...of].map(([id, { patch }]) => [id, patch?.size ?? null])).toEqual([
    ['a__a-1', 4],
    ['a__a-2', null],
  ]);
});

test('a set that the store does not have is unknown', async () => {
  await expect(storedPredictions(store, Digest.parse('f'.repeat(64)))).rejects.toMatchObject({
    blame: 'task',
    code: 'predictions_unknown',
  });
});

test('an artifact that is something else is no set, and the line says where', async () => {
  await expect(storedPredictions(store, await stored('{"instance_id": 7}\n'))).rejects.toMatchObject({
    blame: 'task',
    code: 'predictions_invalid',
    message: expect.stringContaining('line 1') as string,
  });
});
