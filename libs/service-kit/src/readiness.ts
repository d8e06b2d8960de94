import { redactText } from '@assay/telemetry';
import { isError } from './native-error';

/** Resolves when what it looks at works; rejects with the reason when it does not. */
export type Probe = () => unknown;

export interface ReadinessReport {
  readonly ready: boolean;
  readonly service: string;
  readonly phase: 'starting' | 'serving' | 'stopping';
  /** `ok`, or why not. */
  readonly probes: Readonly<Record<string, string>>;
}

/** A probe that says nothing for this long is down. */
const PROBE_BOUND_MS = 2_000;

/** Whether this process should be given work: what /readyz answers. Modules add a probe for each thing they need. */
export class Readiness {
  private readonly probes = new Map<string, Probe>();
  private phase: ReadinessReport['phase'] = 'starting';

  constructor(private readonly service: string) {}

  /** @param name what is looked at, e.g. `database` or `nats` */
  add(name: string, probe: Probe): void {
    this.probes.set(name, probe);
  }

  serving(): void {
    this.phase = 'serving';
  }

  stopping(): void {
    this.phase = 'stopping';
  }

  async report(): Promise<ReadinessReport> {
    const names = [...this.probes.keys()];
    const answers = await Promise.all([...this.probes.values()].map(answerOf));
    const probes = Object.fromEntries(names.map((name, index) => [name, answers[index] ?? 'ok']));
    const ready = this.phase === 'serving' && answers.every((answer) => answer === 'ok');
    return { ready, service: this.service, phase: this.phase, probes };
  }
}

async function answerOf(probe: Probe): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${PROBE_BOUND_MS} ms`));
    }, PROBE_BOUND_MS);
  });
  try {
    await Promise.race([Promise.resolve().then(probe), bound]);
    return 'ok';
  } catch (error) {
    return `down: ${redactText(isError(error) ? error.message : String(error))}`;
  } finally {
    clearTimeout(timer);
  }
}
