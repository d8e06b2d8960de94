import { NotificationEvent, Repository, TargetName } from '@assay/contracts';
import { z } from 'zod';

/** Names of this machine that plain HTTP may go to. */
const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);
const URL_EXPECTED = 'expected https://…, or http:// on localhost, without user name and password';

const WebhookUrl = z.string({ error: URL_EXPECTED }).superRefine((text, context) => {
  if (isWebhookUrl(text)) return;
  context.addIssue({ code: 'custom', message: URL_EXPECTED });
});

const common = {
  name: TargetName.describe('its name, in the record of a run and in ids; unique in the file'),
  events: z.array(NotificationEvent).min(1, 'expected one event or more').describe('what it is told of'),
  template: z
    .string()
    .min(1)
    .optional()
    .describe('file with a mustache template, its path relative to this file; default: see docs/notifications.md'),
};

/** A target that is called by HTTP. */
export const WebhookTarget = z.strictObject({
  ...common,
  url: WebhookUrl.describe('where it is posted to'),
  secretFile: z
    .string()
    .min(1)
    .describe(
      'file with the secret that signs (`whsec_` and 24 to 64 bytes as base64), its path relative to this file',
    ),
});
export type WebhookTarget = z.infer<typeof WebhookTarget>;

/** A target that reads an issue, or a pull request, of GitHub. */
export const IssueTarget = z.strictObject({
  ...common,
  repository: Repository.describe('owner/name'),
  issue: z.int().positive().describe('its number'),
});
export type IssueTarget = z.infer<typeof IssueTarget>;

/** The file that ASSAY_NOTIFICATIONS_FILE names. */
export const TargetsFile = z
  .strictObject({
    schema: z.literal('assay.notifications/1'),
    webhooks: z.array(WebhookTarget).default([]),
    issues: z.array(IssueTarget).default([]),
  })
  .superRefine(({ webhooks, issues }, context) => {
    const seen = new Set<string>();
    const places = [
      ...webhooks.map(({ name }, at) => ({ name, path: ['webhooks', at, 'name'] })),
      ...issues.map(({ name }, at) => ({ name, path: ['issues', at, 'name'] })),
    ];
    for (const { name, path } of places) {
      if (seen.has(name))
        context.addIssue({ code: 'custom', path, message: 'expected a name that no other target has' });
      seen.add(name);
    }
  });
export type TargetsFile = z.infer<typeof TargetsFile>;

function isWebhookUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOCAL.has(hostname));
}
