import type { Notification, NotificationOutcome } from '@assay/contracts';
import { BlamedError } from '@assay/failures';
import { type IssueAddress, type IssueClient, MAX_COMMENT, retryAfterMs } from '@assay/github';
import { never, notNow, type Send } from './target';
import type { Rendering } from './template';

/** Codes of GitHub's answers that no other time changes. */
const FINAL = new Set(['github_not_found', 'github_rejected', 'github_body_too_long']);

/**
 * Comments on an issue. Each comment ends with an invisible line that names its notification; before a repeat it is looked
 * for, so that a publisher that died after the write leaves one comment.
 */
export function issueSender(client: IssueClient, issue: IssueAddress, render: Rendering): Send {
  return async (notification, tryNumber): Promise<NotificationOutcome> => {
    const mark = markOf(notification);
    try {
      const repeated = tryNumber > 1 && (await client.hasComment(issue, mark, since(notification)));
      if (!repeated) await client.comment(issue, withMark(render(notification), mark));
      return { kind: 'sent' };
    } catch (error) {
      if (!(error instanceof BlamedError)) throw error;
      return FINAL.has(error.code) ? never(error.message) : notNow(error.message, retryAfterMs(error));
    }
  };
}

/** GitHub counts in whole seconds and by its own clock: from an hour before the event on. */
function since({ at }: Notification): Date {
  return new Date(Date.parse(at) - 3_600_000);
}

function withMark(text: string, mark: string): string {
  const room = MAX_COMMENT - mark.length - 2;
  return `${Array.from(text).slice(0, room).join('')}\n\n${mark}`;
}

/** Where there is no template: the sentence, and what one needs to find the run. */
export const ISSUE_TEMPLATE = `{{message}}

- run \`{{{run.id}}}\`: {{run.state}}, publication {{run.publicationState}}
- suite {{run.suite}}, model {{run.model}}, evaluated {{run.evaluatedRef}}{{#run.release}}
- release {{repository}} {{tag}}{{/run.release}}{{#run.reasons}}
- {{message}} ({{code}}){{/run.reasons}}
`;

/** What tells that a comment is that of a notification. */
function markOf({ id }: Pick<Notification, 'id'>): string {
  return `<!-- assay notification ${id} -->`;
}
