import { join } from 'node:path';
import type { GivenServers } from './given-servers';
import type { StateFolder } from './state-folder';

/** The servers below the services, and how to stop those that we started. */
export interface Backends {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  stop(): Promise<void>;
}

export interface BackendsRequest {
  readonly state: StateFolder;
  readonly given: GivenServers;
  readonly note: (line: string) => void;
  /** Ends the search for a nats-server. */
  readonly signal: AbortSignal;
}

/** PostgreSQL and NATS: those that were named, else embedded servers with their data in the state folder. */
export async function startBackends({ state, given, note, signal }: BackendsRequest): Promise<Backends> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.reverse()) await end();
  };
  try {
    const databaseUrl = given.databaseUrl ?? (await postgres(state, stops, note));
    signal.throwIfAborted();
    const natsUrl = given.natsUrl ?? (await nats(state, stops, { note, signal }));
    signal.throwIfAborted();
    return { databaseUrl, natsUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function postgres(
  state: StateFolder,
  stops: (() => Promise<void>)[],
  note: (line: string) => void,
): Promise<string> {
  const { startPostgres } = await import('@assay-tools/embedded/postgres');
  const server = await startPostgres({
    dataDir: join(state.dir, 'postgres'),
    detached: true,
    onMoved: (dir) => {
      note(`PostgreSQL's data is in ${dir}: its user cannot read this folder`);
    },
  });
  stops.push(() => server.stop());
  state.note(server.pid);
  return server.url;
}

async function nats(
  state: StateFolder,
  stops: (() => Promise<void>)[],
  search: { readonly note: (line: string) => void; readonly signal: AbortSignal },
): Promise<string> {
  const { findNatsServer, startNats } = await import('@assay-tools/embedded/nats');
  const { binary } = await findNatsServer(search);
  const server = await startNats({ binary, storeDir: join(state.dir, 'nats'), detached: true });
  stops.push(() => server.stop());
  state.note(server.pid);
  return server.url;
}
