import { join } from 'node:path';
import type { StateFolder } from './state-folder';

/** The servers below the services, and how to stop those that we started. */
export interface Backends {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  stop(): Promise<void>;
}

/** PostgreSQL and NATS: DATABASE_URL and NATS_URL where set, else embedded servers with their data in the state folder. */
export async function startBackends(state: StateFolder, note: (line: string) => void): Promise<Backends> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.reverse()) await end();
  };
  try {
    const databaseUrl = process.env['DATABASE_URL'] ?? (await postgres(state, stops, note));
    const natsUrl = process.env['NATS_URL'] ?? (await nats(state, stops, note));
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
  state.note(server.pid);
  stops.push(() => server.stop());
  return server.url;
}

async function nats(state: StateFolder, stops: (() => Promise<void>)[], note: (line: string) => void): Promise<string> {
  const { findNatsServer, startNats } = await import('@assay-tools/embedded/nats');
  const { binary } = await findNatsServer({ note });
  const server = await startNats({ binary, storeDir: join(state.dir, 'nats'), detached: true });
  state.note(server.pid);
  stops.push(() => server.stop());
  return server.url;
}
