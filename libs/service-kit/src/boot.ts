import type { CommonConfig } from './common-config';
import { ConfigError, EX_CONFIG } from './load-config';
import { startService, type RunningService, type ServiceDefinition } from './service';
import { reasonOf } from './start-error';

/**
 * Runs a service as this process: one call from its main.ts. Settings that are wrong end it with one message and exit
 * code 78, a start that fails with one line and exit code 1. SIGTERM and SIGINT stop it in order, within
 * ASSAY_STOP_GRACE_MS, and exit 0 (1 when it took too long; a second signal ends it at once). An error that nobody
 * caught is one log line and exit code 1.
 */
export async function bootService<Config extends CommonConfig>(definition: ServiceDefinition<Config>): Promise<void> {
  const signals = new Signals();
  try {
    const service = await startService(definition, process.env);
    dieOfTheUnforeseen(service);
    signals.stopWith((signal) => stopBounded(service, signal));
  } catch (error) {
    const [code, text] = error instanceof ConfigError ? [EX_CONFIG, error.message] : [1, reasonOf(error)];
    process.stderr.write(`assay ${definition.name}: ${text}\n`, () => process.exit(code));
  }
}

type Stop = (signal: NodeJS.Signals) => Promise<void>;

/**
 * SIGTERM and SIGINT, listened to once and for all: a listener that is taken off and put on again loses the signal that
 * comes between. During the start they end the process at once, because nothing has been taken on yet; afterwards the
 * first one stops the service and a second one ends the process.
 */
class Signals {
  private stop: Stop | null = null;
  private stopping = false;

  constructor() {
    const take = (signal: NodeJS.Signals): void => {
      this.take(signal);
    };
    process.on('SIGTERM', take).on('SIGINT', take);
  }

  stopWith(stop: Stop): void {
    this.stop = stop;
  }

  private take(signal: NodeJS.Signals): void {
    if (this.stop === null) process.exit(0);
    if (this.stopping) process.exit(1);
    this.stopping = true;
    void this.stop(signal);
  }
}

async function stopBounded({ logger, config, stop }: RunningService, signal: string): Promise<void> {
  const graceMs = config.ASSAY_STOP_GRACE_MS;
  logger.info({ signal, graceMs }, 'service stopping');
  const bound = setTimeout(() => {
    logger.error({ graceMs }, 'service did not stop within its grace period');
    process.exit(1);
  }, graceMs);
  try {
    await stop();
    logger.info('service stopped');
    process.exit(0);
  } catch (error) {
    logger.error({ err: error }, 'service failed while stopping');
    process.exit(1);
  } finally {
    clearTimeout(bound);
  }
}

function dieOfTheUnforeseen({ logger }: RunningService): void {
  process.on('uncaughtException', (error, origin) => {
    logger.fatal({ err: error, origin }, 'service ends because of an error that nobody caught');
    process.exit(1);
  });
}
