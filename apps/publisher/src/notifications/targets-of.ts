import { type GithubCredential, IssueClient, type WritePace } from '@assay/github';
import { issueSender } from './issue-sender';
import { SEND_TIMEOUT_MS, type Target } from './target';
import type { CheckedTargets } from './targets-file';
import { webhookSender } from './webhook-sender';

export interface TargetAdapters {
  readonly githubUrl: string;
  readonly credential: GithubCredential;
  /** Shared with the publications: GitHub counts both. */
  readonly pace: WritePace;
  readonly timeoutMs?: number;
}

/** Who is told, with the adapters that tell them. */
export function targetsOf(checked: CheckedTargets | null, adapters: TargetAdapters): Target[] {
  if (checked === null) return [];
  const { githubUrl: baseUrl, credential, pace, timeoutMs = SEND_TIMEOUT_MS } = adapters;
  const client = new IssueClient({ baseUrl, credential, pace, timeoutMs });
  return [
    ...checked.webhooks.map(({ name, events, ...rest }) => ({
      name,
      events,
      send: webhookSender({ ...rest, timeoutMs }),
    })),
    ...checked.issues.map(({ name, events, render, repository, issue }) => ({
      ...{ name, events },
      send: issueSender(client, { repository, issue }, render),
    })),
  ];
}
