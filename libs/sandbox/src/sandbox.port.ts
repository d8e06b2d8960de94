import type { ImageSource, WorkKey } from '@assay/contracts';
import type { HostParts } from './host-parts';

/** Bounds of one sandbox. */
export interface SandboxLimits {
  readonly cpus: number;
  readonly memoryMb: number;
  readonly diskMb: number;
  readonly pids: number;
}

/** Where a model gateway of this host listens. */
export interface Gateway {
  /** Path of its Unix socket on the engine's host; its folder is shown to the sidecar, never to the sandbox. */
  readonly socket: string;
  /** The same gateway for sandboxes that share this machine's network, e.g. `http://127.0.0.1:41234`. */
  readonly loopbackUrl: string;
}

/** `none`: nothing but `lo`. A gateway: nothing but `lo`, and on it the gateway. `outside`: what the engine reaches. */
export type SandboxNetwork = 'none' | 'outside' | { readonly gateway: Gateway };

/** A folder of the engine's host that a sandbox may read. */
export interface SandboxMount {
  readonly hostDir: string;
  /** Absolute; the process sandbox cannot honour it, so ask `Sandbox.inside(hostDir)` where it is. */
  readonly insideDir: string;
}

export interface SandboxRequest {
  /** Who it works for: becomes labels, so that a reaper can tell what is live. */
  readonly key: WorkKey;
  readonly epoch: number;
  readonly role: 'trial' | 'grade';
  /** A prepared image, from `prepareImage`. */
  readonly image: PreparedImage;
  readonly limits: SandboxLimits;
  readonly network: SandboxNetwork;
  readonly mounts: readonly SandboxMount[];
  /** Image user to run as; null: the image's own. */
  readonly user: string | null;
  /** Cores that it may use, as the kernel writes a list (`0-1,3`); absent: all. Docker only. */
  readonly cpuset?: string;
  /** After this many seconds the sandbox dies by itself, whoever is left to watch it. */
  readonly lifetimeSeconds: number;
}

export interface PreparedImage {
  /** The engine's image id (`sha256:…`), or `process`. */
  readonly imageId: string;
  /** Working directory inside: the repository that the agent changes. */
  readonly workdir: string;
  /** Folder on the host that holds the unpacked task's `environment/`; the process sandbox copies from it. */
  readonly contextDir: string | null;
}

export interface ExecRequest {
  /** Program and arguments; no shell unless one is named. */
  readonly command: readonly string[];
  /** Default: the image's working directory. */
  readonly cwd?: string;
  /** Exactly these variables, beside the sandbox's own minimum (PATH, HOME, LANG and the folder variables). */
  readonly env?: Readonly<Record<string, string>>;
  /** Killed, whole process group, after this. */
  readonly timeoutMs: number;
  /** Output beyond this is dropped and marked; stdout and stderr come as one merged stream. Bytes. */
  readonly maxOutputBytes: number;
  /** Aborting kills the command. */
  readonly signal?: AbortSignal;
  readonly user?: string;
  /** Called with every chunk as it comes, before truncation. */
  readonly onOutput?: (chunk: Buffer) => void;
  /** Tell of processes killed for memory after an exit 0 too: what hides them is a script that goes on. Costs a command. */
  readonly watchMemory?: boolean;
}

export interface ExecResult {
  /** Null when the command was killed (time, abort, memory). */
  readonly exitCode: number | null;
  /** Merged stdout and stderr. */
  readonly output: Buffer;
  readonly truncated: boolean;
  readonly timedOut: boolean;
  /** The kernel killed something of it for memory. */
  readonly outOfMemory: boolean;
  readonly durationMs: number;
}

export interface FetchBounds {
  readonly maxBytes: number;
  readonly maxEntries: number;
  /** Raised: no further entry is copied. */
  readonly signal?: AbortSignal;
}

/**
 * What came of an image that nobody waits for yet. `busy`: trials need the engine, or another worker's turn it is. `paused`:
 * the registry said "too many". `no_room`: the disk or the budget is against it. `gave_way`: a trial came in between.
 */
export type AheadOutcome = 'made' | 'busy' | 'paused' | 'no_room' | 'gave_way';

/** Tells whether a lease lives. It is asked only after the sandboxes were listed, so it may look the answer up then. */
export type Liveness = (key: WorkKey, epoch: number) => boolean | Promise<boolean>;

/** One isolated place where untrusted commands run. Every method throws InfraError for faults of the engine. */
export interface Sandbox {
  readonly id: string;
  readonly workdir: string;
  /** Where Harbor's folders lie inside: `/tests`, `/solution`, `/logs` in docker, folders of its own in process. */
  readonly paths: { readonly tests: string; readonly solution: string; readonly logs: string };
  /** Base address of the model gateway as commands inside reach it; null when it was made without one. */
  readonly gatewayUrl: string | null;
  /** Where a mounted folder of the host lies for commands inside. @throws RangeError when it was not mounted */
  inside(hostDir: string): string;
  exec(request: ExecRequest): Promise<ExecResult>;
  /** Copies a folder of the host into a folder inside (created). Modes are kept, links outside refused. */
  putFolder(hostDir: string, insideDir: string): Promise<void>;
  putFile(insidePath: string, content: Buffer, mode?: number): Promise<void>;
  /**
   * Puts files, executable or not, and symbolic links, at the same paths below a folder inside, in the place of files and
   * links that are there; folders are made. Names are bytes. Ends soon, with the reason of its signal, when that is raised.
   */
  putParts(parts: HostParts): Promise<void>;
  /** Null when absent or not a regular file. Refuses more than `maxBytes`. */
  getFile(insidePath: string, maxBytes: number): Promise<Buffer | null>;
  /** File names directly in a folder; empty when absent. */
  list(insideDir: string): Promise<string[]>;
  /**
   * Copies a folder from inside to an empty folder of the host: regular files, folders, and symbolic links as links;
   * whatever is called `.git`, at any depth, stays behind. An absent folder copies nothing.
   * Names come out as the bytes that they are.
   * @throws AgentError `workspace_replaced` when it is no folder, `workspace_too_large` beyond `maxBytes` or `maxEntries`,
   *   `workspace_unreadable` for paths that this host cannot hold; the reason of the bounds' signal
   */
  fetchFolder(insideDir: string, hostDir: string, bounds: FetchBounds): Promise<void>;
  /** Kills all that runs inside; bounded, never throws for what is gone already. */
  kill(): Promise<void>;
  /** Removes everything; bounded, never throws for what is gone already. */
  destroy(): Promise<void>;
}

/** What is to be known for an image that nobody waits for yet. */
export interface AheadContext {
  readonly needed: readonly ImageSource[] | null;
  readonly signal: AbortSignal;
}

/** Makes sandboxes. Adapters: docker, process. */
export interface SandboxProvider {
  readonly name: 'docker' | 'process';
  /** Throws InfraError with the reason when it cannot work now (no engine, no disk). */
  check(): Promise<void>;
  /**
   * Asked before anything is made for a sandbox, because a bigger engine may take the work.
   * @throws InfraError `limits_beyond_engine`, with the field, when no sandbox here can ever have these limits
   */
  fits(limits: SandboxLimits): Promise<void>;
  /** Builds or pulls once per image, however many ask at the same time. */
  prepareImage(source: ImageSource, contextDir: string | null, signal: AbortSignal): Promise<PreparedImage>;
  /** Whether an image is here, so that `prepareImage` takes no time. */
  hasImage(source: ImageSource): Promise<boolean>;
  /**
   * Makes an image ready that nobody waits for yet, if nothing speaks against it: one at a time on the engine. Who asks
   * `prepareImage` for it meanwhile joins; who asks for another one ends it.
   * @param needed as for `tidyImages`, which makes room
   * @throws what `prepareImage` throws
   */
  prepareAhead(source: ImageSource, contextDir: string | null, context: AheadContext): Promise<AheadOutcome>;
  create(request: SandboxRequest): Promise<Sandbox>;
  /**
   * Removes images that this namespace built or pulled and that its budget has no room for, the least recently used first;
   * none that a container has, or that is in `needed` (what open runs want; null: nobody can say, then only what was not
   * used for hours). Returns how many.
   */
  tidyImages(needed: readonly ImageSource[] | null): Promise<number>;
  /**
   * Removes all of this namespace that `isLive` denies or whose deadline is past; with null (nobody could answer) only
   * what is past its deadline. Returns how many.
   */
  reap(isLive: Liveness | null): Promise<number>;
  /** Gives back what is held ready between sandboxes. Sandboxes that are there stay as they are. */
  close(): Promise<void>;
}
