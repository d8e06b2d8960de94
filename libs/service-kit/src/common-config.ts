import { Namespace, type AppName } from '@assay/contracts';
import { artifactConfig, type ArtifactSettings } from './artifact-config';
import { envChoice, envInt, envNatsUrls, envNumber, envPort, envText } from './settings';
import { setting } from './setting';

/** Where each service answers /livez and /readyz when nothing else is said. */
export const DEFAULT_PORTS: Readonly<Record<AppName, number>> = {
  dispatcher: 8080,
  coordinator: 8081,
  executor: 8082,
  grader: 8083,
  publisher: 8084,
};

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const readNamespace = (text: string): Namespace | undefined => Namespace.safeParse(text).data;

/** The settings that every service has: a zod shape, to be spread into a service's own `z.object`. */
export function commonConfig(app: AppName) {
  return {
    ASSAY_NAMESPACE: setting('a lower-case letter, then up to 30 of a-z 0-9 _', readNamespace, 'assay').describe(
      'Prefix of everything that this deployment owns on shared servers: database schema, streams, subjects, container labels, artifact keys, markers',
    ),
    NATS_URL: envNatsUrls().describe('Server of the message broker'),
    ASSAY_TIME_SCALE: envNumber(1, { min: 0.0001, max: 1 }).describe(
      'Factor for every duration of the work protocol; 1 in production, smaller in tests only',
    ),
    ASSAY_HTTP_HOST: envText('127.0.0.1').describe('Address that the HTTP server listens on'),
    ASSAY_HTTP_PORT: envPort(DEFAULT_PORTS[app]).describe('Port of the HTTP server; 0 takes any free one'),
    ASSAY_LOG_LEVEL: envChoice(LOG_LEVELS, 'info').describe('Least level of the log lines that are written'),
    ...artifactConfig(),
    ASSAY_STOP_GRACE_MS: envInt(10_000, { max: 600_000 }).describe(
      'Milliseconds that a service may take to stop after SIGTERM before it ends by force',
    ),
  };
}

/** What `commonConfig` yields. */
export interface CommonConfig extends ArtifactSettings {
  readonly ASSAY_NAMESPACE: Namespace;
  readonly NATS_URL: string;
  readonly ASSAY_TIME_SCALE: number;
  readonly ASSAY_HTTP_HOST: string;
  readonly ASSAY_HTTP_PORT: number;
  readonly ASSAY_LOG_LEVEL: string;
  readonly ASSAY_STOP_GRACE_MS: number;
}
