import { bearerChallenge, type BearerChallenge } from './bearer-challenge';
import type { ImageRegistry, RegistryAnswer } from './image-registry.port';
import { registryAddresses, type RegistryAddress } from './registry-address';

/** What a registry that answers at all needs. */
const TIMEOUT_MS = 15_000;

/** Lists of images for several processors first: their digest stands for the whole name. */
const ACCEPT = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

const DIGEST = /^sha256:[0-9a-f]{64}$/;

export interface HttpImageRegistryOptions {
  /** Prefix of a mirror of Docker Hub, asked first; null: none. */
  readonly mirror: string | null;
  readonly timeoutMs?: number;
}

/**
 * Asks registries by their HTTP API (distribution's specification), without an engine and without credentials: `HEAD` for a
 * manifest moves no content and does not count as a pull.
 */
export class HttpImageRegistry implements ImageRegistry {
  constructor(private readonly options: HttpImageRegistryOptions) {}

  async digestOf(image: string, signal: AbortSignal): Promise<RegistryAnswer> {
    let last: RegistryAnswer = { answer: 'absent', reason: 'it is no image name' };
    for (const address of registryAddresses(image, this.options.mirror)) {
      last = await this.ask(address, signal);
      // What the mirror does not have, or cannot say now, is asked for where it comes from.
      if (last.answer === 'digest') return last;
    }
    return last;
  }

  private async ask(address: RegistryAddress, signal: AbortSignal): Promise<RegistryAnswer> {
    const { origin } = address;
    const unavailable = (reason: string, retryAfterSeconds: number | null = null): RegistryAnswer => ({
      answer: 'unavailable',
      reason: `${origin} ${reason}`,
      retryAfterSeconds,
    });
    try {
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(this.options.timeoutMs ?? TIMEOUT_MS)]);
      const first = await this.head(address, null, bounded);
      const challenge = first.status === 401 ? bearerChallenge(first.headers.get('www-authenticate')) : null;
      const token = challenge === null ? null : await this.tokenFor(address, challenge, bounded);
      if (token !== null && 'answer' in token) return token;
      const response = token === null ? first : await this.head(address, token.token, bounded);
      return answerOf(response, address, unavailable);
    } catch (error) {
      signal.throwIfAborted();
      return unavailable(`does not answer: ${reasonOf(error)}`);
    }
  }

  private head(
    { origin, repository, tag }: RegistryAddress,
    token: string | null,
    signal: AbortSignal,
  ): Promise<Response> {
    return fetch(`${origin}/v2/${repository}/manifests/${tag}`, {
      method: 'HEAD',
      headers: { accept: ACCEPT, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
      signal,
    });
  }

  /** A token for everybody. Null where there is none: then the registry's first answer stands. */
  private async tokenFor(
    { origin, repository }: RegistryAddress,
    { realm, service, scope }: BearerChallenge,
    signal: AbortSignal,
  ): Promise<{ readonly token: string } | RegistryAnswer | null> {
    const url = URL.canParse(realm) ? new URL(realm) : null;
    // A registry with TLS sends nobody to a place without it.
    if (url === null || (url.protocol !== 'https:' && url.protocol !== new URL(origin).protocol)) return null;
    if (service !== null) url.searchParams.set('service', service);
    url.searchParams.set('scope', scope ?? `repository:${repository}:pull`);
    const response = await fetch(url, { signal });
    if (!response.ok) {
      await response.body?.cancel();
      if (response.status === 401 || response.status === 403) return null;
      return {
        answer: 'unavailable',
        reason: `${url.origin}, where ${origin} sends for tokens, answered ${response.status}`,
        retryAfterSeconds: retryAfter(response),
      };
    }
    const body = (await response.json()) as { token?: unknown; access_token?: unknown };
    const token = body.token ?? body.access_token;
    return typeof token === 'string' && token !== '' ? { token } : null;
  }
}

function answerOf(
  response: Response,
  { origin, repository, tag }: RegistryAddress,
  unavailable: (reason: string, retryAfterSeconds?: number | null) => RegistryAnswer,
): RegistryAnswer {
  const { status } = response;
  if (status === 404) return { answer: 'absent', reason: `${origin} has no ${repository}:${tag}` };
  if (status === 401 || status === 403) {
    const reason = `${origin} denies ${repository}:${tag}: there is none, or it needs credentials`;
    return { answer: 'absent', reason };
  }
  if (status !== 200) return unavailable(`answered ${status}`, retryAfter(response));
  const digest = response.headers.get('docker-content-digest') ?? '';
  return DIGEST.test(digest) ? { answer: 'digest', digest } : unavailable('named an image without its sha256 digest');
}

/** Seconds of `Retry-After`, given as a number or a date; null where there is none. */
function retryAfter(response: Response): number | null {
  const header = response.headers.get('retry-after');
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}

/** undici says "fetch failed", and why in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown; code?: unknown } };
  return String(cause?.message ?? cause?.code ?? message ?? error);
}
