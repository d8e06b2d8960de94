import { tmpdir } from 'node:os';
import { requireRoom } from './free-disk';

const BEYOND = Number.MAX_SAFE_INTEGER;

test('a disk with room is fine; one without space or without room for files is full, as our fault', async () => {
  await requireRoom(tmpdir(), 1, 1);
  await expect(requireRoom(tmpdir(), BEYOND, 1)).rejects.toMatchObject({ blame: 'infra', code: 'disk_full' });
  await expect(requireRoom(tmpdir(), 1, BEYOND)).rejects.toThrow(/room for \d+ files/);
});
