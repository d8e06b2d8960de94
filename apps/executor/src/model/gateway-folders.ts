import { chmod, mkdir, mkdtemp, readdir, readlink, rm, stat, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { removeTree } from '@assay/sandbox';

/** A socket's whole path has at most 107 bytes; a folder deep below would not do. */
const LONGEST_SOCKET = 107;

const SOCKET = 'model.sock';
/** In a spool's folder: leads to the socket of the gateway that it belongs to. */
const OWNER = 'socket';
const SHORT = 'assay-g-';

/** A folder that is being made has no listening socket yet. Milliseconds. */
const YOUNG_MS = 60_000;
/** A spool that does not say whose it is may be anybody's, unless it is older than any trial. */
const OWNERLESS_MS = 7 * 86_400_000;

export interface GatewayPlace {
  readonly socket: string;
  /** An empty folder for bodies that are under way; sandboxes and their sidecars do not see it. */
  readonly spoolDir: string;
}

/**
 * Folders of model gateways on this host: one for the socket, which sidecars mount, and one for what is under way. A
 * gateway that stops removes its own; those of executors that were killed are found by their sockets, which nobody
 * listens on any more. That holds across containers, too, where process ids say nothing.
 */
export class GatewayFolders {
  private readonly sockets: string;
  private readonly spools: string;

  /** @param dirs `host`: folder that the engine's host has under the same path; `tmp`: where paths are short */
  constructor(private readonly dirs: { readonly host: string; readonly work: string; readonly tmp?: string }) {
    this.sockets = join(dirs.host, 'gateways');
    this.spools = join(dirs.work, 'gateway-spool');
  }

  /** Makes the folders of one gateway. */
  async make(): Promise<GatewayPlace> {
    const socket = join(await this.socketDir(), SOCKET);
    await mkdir(this.spools, { recursive: true, mode: 0o700 });
    const spoolDir = join(this.spools, basename(dirname(socket)));
    await mkdir(spoolDir, { mode: 0o700 });
    await symlink(socket, join(spoolDir, OWNER));
    return { socket, spoolDir };
  }

  /** Removes the folders of a gateway that has stopped. */
  async remove({ socket, spoolDir }: GatewayPlace): Promise<void> {
    await rm(spoolDir, { recursive: true, force: true });
    await rm(dirname(socket), { recursive: true, force: true });
  }

  /** Removes what nobody listens for any more, and tells how many folders went. */
  async sweep(): Promise<number> {
    let removed = 0;
    for (const name of await namesIn(this.spools)) {
      const dir = join(this.spools, name);
      const socket = await readlink(join(dir, OWNER)).catch(() => null);
      if (await this.removeIfDead(dir, socket)) removed += 1;
    }
    for (const [parent, prefix] of [[this.sockets, 'g-'] as const, [this.tmp, SHORT] as const]) {
      for (const name of await namesIn(parent)) {
        if (!name.startsWith(prefix)) continue;
        const dir = join(parent, name);
        if (await this.removeIfDead(dir, join(dir, SOCKET))) removed += 1;
      }
    }
    return removed;
  }

  private get tmp(): string {
    return this.dirs.tmp ?? tmpdir();
  }

  /** The sidecar's forwarder is another user of the folder; each trial has to show its token. */
  private async socketDir(): Promise<string> {
    await mkdir(this.sockets, { recursive: true });
    const dir = await mkdtemp(join(this.sockets, 'g-'));
    const fits = Buffer.byteLength(join(dir, SOCKET)) <= LONGEST_SOCKET;
    if (!fits) await rm(dir, { recursive: true });
    const fitting = fits ? dir : await mkdtemp(join(this.tmp, SHORT));
    await chmod(fitting, 0o755);
    return fitting;
  }

  private async removeIfDead(dir: string, socket: string | null): Promise<boolean> {
    const made = await stat(dir).catch(() => null);
    if (made === null || made.uid !== process.getuid?.()) return false;
    const age = Date.now() - made.mtimeMs;
    if (age < (socket === null ? OWNERLESS_MS : YOUNG_MS)) return false;
    if (socket !== null && (await mayListen(socket))) return false;
    await removeTree(dir);
    return true;
  }
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** False only where it is certain: nobody listens on the socket, or it is not there. */
function mayListen(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = connect(socket);
    asking.once('connect', () => {
      asking.destroy();
      resolve(true);
    });
    asking.once('error', (error) => {
      const code = codeOf(error);
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT');
    });
  });
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
}
