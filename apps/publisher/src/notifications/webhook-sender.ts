import type { NotificationOutcome } from '@assay/contracts';
import { readSecretFile, reasonOf, UnsafeSecretFile } from '@assay/service-kit';
import { Webhook } from 'standardwebhooks';
import { never, notNow, type Send } from './target';
import type { Rendering } from './template';

export interface WebhookSettings {
  readonly url: string;
  /** Absolute. Read before every try, so that a new secret is used at once. */
  readonly secretFile: string;
  readonly render: Rendering;
  readonly timeoutMs: number;
}

/** Statuses from 400 to 499 that are about the moment, not about the request. */
const PASSING = new Set([408, 409, 423, 425, 429]);

/**
 * Posts notifications, signed by the scheme of Standard Webhooks 1.0.0 (https://www.standardwebhooks.com): `webhook-id`,
 * the same at every repeat; `webhook-timestamp` of this try; `webhook-signature` over both and the body. Redirects are not
 * followed, and of an answer only status and Retry-After are looked at.
 */
export function webhookSender({ url, secretFile, render, timeoutMs }: WebhookSettings): Send {
  return async (notification) => {
    const body = render(notification);
    const at = new Date();
    const signed = signature(secretFile, { id: notification.id, at, body });
    if ('reason' in signed) return notNow(signed.reason);
    try {
      const answer = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          'content-type': 'application/json',
          'user-agent': 'assay',
          'webhook-id': notification.id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': signed.value,
        },
        body,
      });
      await answer.body?.cancel();
      return outcomeOf(answer);
    } catch (error) {
      return notNow(`no answer: ${reasonOf(error)}`);
    }
  };
}

/** @throws Error with the rule that the secret breaks; its text is in none of them */
export function checkedWebhook(secret: string): Webhook {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const bytes = encoded === undefined ? 0 : Buffer.from(encoded, 'base64').length;
  if (bytes < 24 || bytes > 64) throw new Error('expected whsec_ and 24 to 64 bytes as base64');
  return new Webhook(secret);
}

function signature(
  secretFile: string,
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: string },
): { readonly value: string } | { readonly reason: string } {
  try {
    return { value: checkedWebhook(readSecretFile(secretFile)).sign(id, at, body) };
  } catch (error) {
    if (!(error instanceof UnsafeSecretFile)) return { reason: `the secret in ${secretFile}: ${reasonOf(error)}` };
    return { reason: `the secret cannot be used: ${error.message}` };
  }
}

function outcomeOf({ status, headers }: Response): NotificationOutcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status >= 300 && status < 400) return never(`answered ${status}: redirects are not followed`);
  if (status === 410) return never('answered 410: nobody listens there any more');
  if (status >= 400 && status < 500 && !PASSING.has(status)) return never(`answered ${status}`);
  return notNow(`answered ${status}`, retryAfterMs(headers.get('retry-after')));
}

/** Retry-After in seconds; a date is left to our own waits. */
function retryAfterMs(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : null;
}
