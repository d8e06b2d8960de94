import { numberOption } from '../number-option';
import { UsageError } from '../output';

/** What `assay up` was asked for. */
export interface UpOptions {
  readonly once: boolean;
  /** Null: docker when it can be used, else process. */
  readonly sandbox: 'docker' | 'process' | null;
  readonly suite: string | null;
  readonly agent: string | null;
  /** Release policy; null: that of the demo. */
  readonly policy: string | null;
  readonly jsonFile: string | null;
  readonly port: number;
  readonly executors: number;
  readonly slots: number;
  readonly timeScale: number;
  /** The dispatcher speaks HTTPS, with a certificate that it signed itself. */
  readonly tls: boolean;
  /** Folder that keeps data, logs and keys between two starts; null: `.assay` in the checkout. */
  readonly stateDir: string | null;
}

/** Options as the command line gives them. */
export interface RawUpOptions {
  readonly once?: boolean;
  readonly sandbox?: string;
  readonly suite?: string;
  readonly agent?: string;
  readonly policy?: string;
  readonly json?: string;
  readonly port: string;
  readonly executors: string;
  readonly slots: string;
  readonly timeScale: string;
  readonly tls?: boolean;
  readonly stateDir?: string;
}

/** Throws UsageError naming the option, its value and what was expected. */
export function upOptionsOf(raw: RawUpOptions): UpOptions {
  const { sandbox } = raw;
  if (sandbox !== undefined && sandbox !== 'docker' && sandbox !== 'process') {
    throw new UsageError(`--sandbox: expected docker or process, got ${JSON.stringify(sandbox)}`);
  }
  return {
    once: raw.once === true,
    sandbox: sandbox ?? null,
    suite: raw.suite ?? null,
    agent: raw.agent ?? null,
    policy: raw.policy ?? null,
    jsonFile: raw.json ?? null,
    port: numberOption('--port', raw.port, { low: 0, high: 65_535, whole: true }),
    executors: numberOption('--executors', raw.executors, { low: 1, high: 64, whole: true }),
    slots: numberOption('--slots', raw.slots, { low: 1, high: 64, whole: true }),
    stateDir: raw.stateDir ?? null,
    tls: raw.tls === true,
    timeScale: numberOption('--time-scale', raw.timeScale, { low: 0.001, high: 1, whole: false }),
  };
}
