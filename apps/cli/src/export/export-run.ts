import { Readable } from 'node:stream';
import {
  type ArtifactRef,
  type InstanceView,
  Manifest,
  type RunId,
  type RunRecord,
  type RunView,
} from '@assay/contracts';
import type { ApiClient } from '../api.client';
import type { BundleFolder } from './bundle-folder';

/** Artifacts that are fetched side by side. */
const AT_ONCE = 4;

const ENDINGS: Readonly<Record<string, string>> = {
  'application/json': '.json',
  'application/gzip': '.gz',
  'application/x-ndjson': '.jsonl',
  'application/x-tar': '.tar',
  'text/plain': '.log',
  'text/x-diff': '.patch',
};

/**
 * Everything there is about a run, as files: what was asked for, the manifest, what became of it, and what every try of
 * every instance left. Artifacts are checked against their digests as they come.
 */
export async function exportRun(client: ApiClient, runId: RunId, folder: BundleFolder): Promise<void> {
  const [view, record, { instances }] = await Promise.all([
    client.run(runId),
    client.record(runId),
    client.instances(runId),
  ]);
  await writeHead(folder, view, record);
  if (record.manifestDigest !== null) await writeManifest(client, folder, record.manifestDigest);
  const wanted = instances.flatMap(artifactFiles);
  const next = wanted[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (const { file, artifact } of next)
      await folder.stream(file, await client.artifactStream(artifact.digest), artifact.digest);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function writeHead(folder: BundleFolder, { result, ...status }: RunView, record: RunRecord): Promise<void> {
  const { events, request, origin, publication } = record;
  await folder.json('request.json', { request, origin });
  await folder.json('status.json', { ...status, publication });
  if (result !== null) await folder.json('summary.json', result);
  const cause = publication?.lastError ?? null;
  if (cause !== null) await folder.json('publisher-error.json', { error: cause, tries: publication?.tries ?? 0 });
  await folder.stream('events.jsonl', Readable.from(events.map((event) => `${JSON.stringify(event)}\n`)));
}

async function writeManifest(client: ApiClient, folder: BundleFolder, digest: string): Promise<void> {
  const bytes = await client.artifact(digest);
  await folder.stream('manifest.json', Readable.from([bytes]), digest);
  const { agent, evaluated } = Manifest.parse(JSON.parse(bytes.toString('utf8')));
  await folder.json('package.json', {
    agent: agent.name,
    version: agent.version,
    integrity: agent.integrity,
    evaluated,
  });
}

interface Wanted {
  readonly file: string;
  readonly artifact: ArtifactRef | InstanceView['history'][number]['artifacts'][number];
}

/** `instances/django__django-1/trial-1/patch.patch`; a second artifact of a name gets a number. */
function artifactFiles({ instanceId, sample, history }: InstanceView): Wanted[] {
  const seen = new Map<string, number>();
  return history.flatMap(({ kind, number, artifacts }, at) =>
    artifacts.map((artifact) => {
      const tried = history.slice(0, at).filter((one) => one.kind === kind && one.number === number).length;
      const folder = `instances/${instanceId}${sample === 0 ? '' : `#${sample}`}/${kind}-${number}${tried === 0 ? '' : `.${tried}`}`;
      const name = `${folder}/${artifact.name}`;
      const again = seen.get(name) ?? 0;
      seen.set(name, again + 1);
      return { file: `${name}${again === 0 ? '' : `.${again}`}${ENDINGS[artifact.mediaType] ?? ''}`, artifact };
    }),
  );
}
