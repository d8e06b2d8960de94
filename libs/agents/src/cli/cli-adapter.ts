import type { ReachedLimit, TrialLimits } from '@assay/contracts';
import type { BlamedError } from '@assay/failures';
import type { PlacedLayer } from '../layers/agent-layer';
import type { AgentPackage } from '../layers/agent-package';
import type { GatewayAccess } from '../trial-agent.port';
import type { StreamRecord } from './stream-record';

/** Everything that the way of starting may depend on. */
export interface CliStart {
  readonly prompt: string;
  readonly model: string;
  readonly gateway: GatewayAccess;
  /** Null for an agent without a package. */
  readonly layer: PlacedLayer | null;
  /** Fresh folder inside that is the agent's home; outside of the workspace. */
  readonly home: string;
  readonly workdir: string;
  /** Whole seconds that the agent is told it has; at least 1. */
  readonly seconds: number;
  readonly limits: TrialLimits;
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether this version takes a flag, from its own help. */
  readonly takes: (flag: string) => boolean;
}

export interface CliPlan {
  /** Program and arguments; no shell. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What the agent reads from its standard input; null: nothing. */
  readonly stdin: string | null;
  /** Files of its home, by their path in it. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Version of an agent that has no package of its own. */
export const builtInVersion = '1.0.0';

/** A command that tells something about the installed program: its flags, or its version. */
export type CliQuestion = (layer: PlacedLayer) => {
  readonly argv: readonly string[];
  readonly env?: Record<string, string>;
};

/** How a run ended, as far as the operating system and the agent's own stream tell. */
export interface CliExit {
  readonly exitCode: number;
  readonly record: StreamRecord;
  /** The end of the output. */
  readonly tail: string;
}

export type CliEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'limit'; readonly limit: ReachedLimit }
  | { readonly kind: 'crash'; readonly error: BlamedError };

/** Reads an agent's output, line by line, into a record. Lines that are not its stream it leaves alone. */
export type StreamReader = (line: string) => void;

/** A coding agent that is a command-line program: what is particular about it, and nothing else. */
export interface CliAdapter {
  readonly name: string;
  /** Null: the program is in the image. */
  readonly package: AgentPackage | null;
  /** Prints the flags; null: none is asked about. */
  readonly help: CliQuestion | null;
  /** Prints the version where the stream does not tell it. */
  readonly tellsVersion: CliQuestion | null;
  readonly plan: (start: CliStart) => CliPlan;
  readonly reader: (record: StreamRecord) => StreamReader;
  /** Folder of its home that holds what it wrote about its own work; null: none. */
  readonly ownLogs: string | null;
  /** A file of its home, read at the end into the record, for an agent without a stream. */
  readonly recordFile?: { readonly path: string; readonly read: (text: string, record: StreamRecord) => void };
  /** True: nothing that it says tells where a reply ends, so its limit of turns has to be one of the gateway's calls. */
  readonly turnsByCalls?: true;
  /** What an exit of its own means; a stop by us is none. */
  readonly ended: (exit: CliExit) => CliEnd;
}
