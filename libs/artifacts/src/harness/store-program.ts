import { Digest, Namespace } from '@assay/contracts';
import { type ArtifactStore, openArtifactStore } from '../index';
import type { StoreJob, StoreReport, StoreStep } from './store-process';

function say(said: string): void {
  const report: StoreReport = { said, peak: process.resourceUsage().maxRSS * 1024 };
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

async function doStep(store: ArtifactStore, step: StoreStep): Promise<string> {
  switch (step.do) {
    case 'put':
      return (await store.put('agent_log', 'text/plain', { file: step.file })).digest;
    case 'fetch':
      await store.fetchTo({ digest: Digest.parse(step.digest), size: step.size }, step.to);
      return 'fetched';
    case 'inspect':
      return store.inspect({ digest: Digest.parse(step.digest), size: step.size });
  }
}

async function main(): Promise<void> {
  const { place, namespace, steps } = JSON.parse(process.argv[2] ?? '') as StoreJob;
  const store = await openArtifactStore(place, Namespace.parse(namespace));
  await store.check();
  say('begun');
  for (const step of steps) say(await doStep(store, step));
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
