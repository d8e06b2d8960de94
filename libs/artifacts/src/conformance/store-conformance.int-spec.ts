import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingS3Server, TestS3 } from '@assay/testing';
import { limitedMount, missingLimitedMount } from '../harness/limited-mount';
import { placeOf, putObject } from '../harness/s3-place';
import { describeStore } from './store-conformance';

const overwriteIn =
  (dir: string) =>
  (namespace: string, digest: string, bytes: Buffer): Promise<void> =>
    writeFile(join(dir, namespace, digest.slice(0, 2), digest), bytes);

describeStore({
  name: 'a folder of a local disk',
  missing: null,
  open: async () => {
    const dir = await mkdtemp(join(tmpdir(), 'assay-folder-'));
    const close = () => rm(dir, { recursive: true, force: true });
    return { place: { kind: 'folder', dir }, overwrite: overwriteIn(dir), close };
  },
});

describeStore({
  name: 'a mount without chmod, chown and rename',
  missing: missingLimitedMount(),
  open: async () => {
    const { dir, unmount } = await limitedMount();
    return { place: { kind: 'folder', dir }, overwrite: overwriteIn(dir), close: unmount };
  },
});

describeStore({
  name: 'a bucket of a server of S3',
  missing: missingS3Server(),
  open: async () => {
    const s3 = await TestS3.start();
    const place = placeOf(s3);
    return {
      place,
      overwrite: (namespace, digest, bytes) =>
        putObject(place.access, `assay/artifacts/${namespace}/${digest.slice(0, 2)}/${digest}`, bytes),
      close: () => s3.stop(),
    };
  },
});
