import { Notification, type NotificationEvent } from '@assay/contracts';

/**
 * An example of a notification, to try templates with. `full`: everything that may be there is; `bare`: what may be null or
 * empty is. It holds what breaks careless templates: quotes, a line break, a backslash.
 */
export function aSample(event: NotificationEvent, how: 'full' | 'bare'): Notification {
  const full = how === 'full';
  return Notification.parse({
    schemaVersion: 'assay.notification/1',
    id: `example.1.${event}.example`,
    event,
    at: '2026-01-01T00:00:00.000Z',
    message: 'The run example of "demo" \\ has\nended.',
    run: {
      id: 'example',
      state: 'QUARANTINED',
      publicationState: 'PENDING',
      suite: 'demo',
      model: 'a "model"',
      evaluatedRef: 'v1.0.0',
      commit: full ? 'a'.repeat(40) : null,
      release: full ? { repository: 'owner/name', tag: 'v1.0.0' } : null,
      scorePercent: full ? 75.6 : null,
      reasons: full ? [{ code: 'too_many_errors', message: 'too many "errors"' }] : [],
    },
  });
}
