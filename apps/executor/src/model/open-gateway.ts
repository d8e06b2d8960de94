import { ModelGateway, readPriceList } from '@assay/model-gateway';
import { registerSecret } from '@assay/telemetry';
import type { Logger } from 'pino';
import type { ExecutorConfig } from '../config';
import type { GatewayFolders, GatewayPlace } from './gateway-folders';
import type { ListeningGateway } from './trial-models';

/** The gateway of this executor, with the folders that go when it stops. */
export interface OpenGateway extends ListeningGateway {
  readonly place: GatewayPlace;
}

/**
 * This executor's only way to the model: on a socket for docker sandboxes, on the loopback interface for all that shares
 * this machine's network. Null where no model is configured: agents that need one then fail as our fault.
 * @throws InfraError where key, address or prices are not fit for use
 */
export async function openGateway(
  config: ExecutorConfig,
  folders: GatewayFolders,
  logger: Logger,
): Promise<OpenGateway | null> {
  const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY_FILE: keyFile, ASSAY_MODEL_PRICES_FILE: priceFile } = config;
  if (baseUrl === undefined || keyFile === undefined) return null;
  const prices = priceFile === undefined ? null : await readPriceList(priceFile);
  const place = await folders.make();
  const { socket, spoolDir } = place;
  const gateway = await ModelGateway.start({
    upstream: { baseUrl, keyFile },
    listen: { socketPath: socket, loopbackPort: 0 },
    spoolDir,
    prices,
    registerSecret,
    onHealthChange: (health) => {
      logger.warn({ health }, 'The way to the model changed its state');
    },
  });
  const { loopbackUrl } = gateway;
  if (loopbackUrl === null) throw new Error('the model gateway does not listen on the loopback interface');
  return { gateway, at: { socket, loopbackUrl }, place };
}

/** Claims nothing while the model is down. @throws Error with the reason and until when */
export function modelAnswers(listening: ListeningGateway | null): void {
  if (listening === null || listening.gateway.mayClaim()) return;
  const health = listening.gateway.health();
  const when = health.state === 'open' ? ` until ${health.until.toISOString()}` : '';
  const why = health.state === 'closed' ? '' : `: ${health.reason}`;
  throw new Error(`the model is down${when}${why}`);
}
