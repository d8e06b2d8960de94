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
  const early = stopEarly();
  try {
    const service = await startService(definition, process.env);
    early.forget();
    obeySignals(service);
    dieOfTheUnforeseen(service);
  } catch (error) {
    const [code, text] = error instanceof ConfigError ? [EX_CONFIG, error.message] : [1, reasonOf(error)];
    process.stderr.write(`assay ${definition.name}: ${text}\n`, () => process.exit(code));
  }
}

/** A signal during the start ends the process: nothing has been taken on yet. */
function stopEarly(): { forget(): void } {
  const end = (): void => process.exit(0);
  process.once('SIGTERM', end).once('SIGINT', end);
  return {
    forget: () => {
      process.off('SIGTERM', end).off('SIGINT', end);
    },
  };
}

function obeySignals(service: RunningService): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    void stopBounded(service, signal);
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
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
