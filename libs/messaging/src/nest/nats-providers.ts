import type { Provider } from '@nestjs/common';
import { scaleTimings, type AppName } from '@assay/contracts';
import { reach, type CommonConfig, type ServiceKit } from '@assay/service-kit';
import { connectNats } from '../nats/connect-nats';
import { NatsLink } from '../nats/nats-link';

/** Injection token of the deployment's `Timings`. */
export const TIMINGS = Symbol('TIMINGS');

/**
 * For the module of every service that speaks to NATS: the durations of the work protocol (TIMINGS), and a connection
 * (NatsLink) without which the service is not ready. A server that is not there ends the start with one line (StartError).
 */
export function natsProviders(
  app: AppName,
  { ASSAY_NAMESPACE: namespace, ASSAY_TIME_SCALE, NATS_URL: url }: CommonConfig,
  { readiness }: Pick<ServiceKit, 'readiness'>,
): Provider[] {
  const openLink = async (): Promise<NatsLink> => {
    const link = await reach('NATS', 'NATS_URL', url, () => connectNats({ url, name: `assay-${app}`, namespace }));
    readiness.add('nats', () => {
      if (!link.connected) throw new Error('not connected');
    });
    return link;
  };
  return [
    { provide: TIMINGS, useValue: scaleTimings(ASSAY_TIME_SCALE) },
    { provide: NatsLink, useFactory: openLink },
  ];
}
