import Docker from 'dockerode';
import type { Phase } from '@assay/contracts';
import { answered, flowing } from './bounded';

/** The engine's clock may be a little behind ours; it answers at this time after our now. Milliseconds. */
const CLOCKS_APART_MS = 1_000;

export interface ContainerEvent {
  /** `oom`, `kill`, `die`, … */
  readonly Action: string;
  /** Nanoseconds since 1970. */
  readonly timeNano: number;
}

/** What the engine remembers of a container: of the last 256 events of all containers since it was started. */
export async function containerEvents(
  container: Docker.Container,
  event: readonly string[],
  phase: Phase,
): Promise<ContainerEvent[]> {
  const engine = new Docker({ modem: container.modem as unknown } as Docker.DockerOptions);
  const until = Math.ceil((Date.now() + CLOCKS_APART_MS) / 1000);
  const filters = { container: [container.id], event: [...event] };
  const stream = await answered(engine.getEvents({ since: 1, until, filters }), phase);
  const chunks: Buffer[] = [];
  for await (const chunk of flowing(stream as AsyncIterable<Buffer>, phase)) chunks.push(chunk);
  const lines = Buffer.concat(chunks).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as ContainerEvent);
}
