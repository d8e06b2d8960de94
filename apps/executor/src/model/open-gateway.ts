import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelGateway, readPriceList } from '@assay/model-gateway';
import { registerSecret } from '@assay/telemetry';
import type { Logger } from 'pino';
import type { ExecutorConfig } from '../config';
import type { ListeningGateway } from './trial-models';

/** A socket's whole path has at most 107 bytes; a folder deep below would not do. */
const LONGEST_SOCKET = 107;

/**
 * This executor's only way to the model: on a socket for docker sandboxes, on the loopback interface for all that shares
 * this machine's network. Null where no model is configured: agents that need one then fail as our fault.
 * @throws InfraError where key, address or prices are not fit for use
 */
export async function openGateway(config: ExecutorConfig, logger: Logger): Promise<ListeningGateway | null> {
  const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY_FILE: keyFile, ASSAY_MODEL_PRICES_FILE: priceFile } = config;
  if (baseUrl === undefined || keyFile === undefined) return null;
  const prices = priceFile === undefined ? null : await readPriceList(priceFile);
  const socket = await socketPath(config);
  const gateway = await ModelGateway.start({
    upstream: { baseUrl, keyFile },
    listen: { socketPath: socket, loopbackPort: 0 },
    spoolDir: join(config.ASSAY_WORK_DIR, 'gateway-spool'),
    prices,
    registerSecret,
    onHealthChange: (health) => {
      logger.warn({ health }, 'The way to the model changed its state');
    },
  });
  const { loopbackUrl } = gateway;
  if (loopbackUrl === null) throw new Error('the model gateway does not listen on the loopback interface');
  return { gateway, at: { socket, loopbackUrl } };
}

/** Fresh, in a folder of this process: the sidecars mount the folder. */
async function socketPath({ ASSAY_HOST_DIR, ASSAY_WORK_DIR }: ExecutorConfig): Promise<string> {
  const parent = join(ASSAY_HOST_DIR ?? ASSAY_WORK_DIR, 'gateways');
  await mkdir(parent, { recursive: true });
  const dir = await mkdtemp(join(parent, 'g-'));
  const socket = join(dir, 'model.sock');
  if (Buffer.byteLength(socket) <= LONGEST_SOCKET) return readied(dir, socket);
  await rm(dir, { recursive: true });
  const short = await mkdtemp(join(tmpdir(), 'assay-g-'));
  return readied(short, join(short, 'model.sock'));
}

/** The sidecar's forwarder is another user of the folder; each trial has to show its token. */
async function readied(dir: string, socket: string): Promise<string> {
  await chmod(dir, 0o755);
  return socket;
}

/** Claims nothing while the model is down. @throws Error with the reason and until when */
export function modelAnswers(listening: ListeningGateway | null): void {
  if (listening === null || listening.gateway.mayClaim()) return;
  const health = listening.gateway.health();
  const when = health.state === 'open' ? ` until ${health.until.toISOString()}` : '';
  const why = health.state === 'closed' ? '' : `: ${health.reason}`;
  throw new Error(`the model is down${when}${why}`);
}
