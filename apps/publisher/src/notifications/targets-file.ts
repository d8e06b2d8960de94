import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseYamlFile } from '@assay/checked-files';
import { TaskError } from '@assay/failures';
import { readSecretFile, reasonOf } from '@assay/service-kit';
import { ISSUE_TEMPLATE } from './issue-sender';
import { type IssueTarget, TargetsFile, type WebhookTarget } from './targets.schema';
import { asJson, BadTemplate, type Rendering, templateOf } from './template';
import { checkedWebhook } from './webhook-sender';

/** The file of targets with all that it names, checked. */
export interface CheckedTargets {
  readonly webhooks: readonly (WebhookTarget & { readonly render: Rendering })[];
  readonly issues: readonly (IssueTarget & { readonly render: Rendering })[];
}

/**
 * Reads a file of targets, its templates and its secrets: what is wrong is told at the start.
 * @throws TaskError `notifications_invalid` with every problem of the file, or those of the files that it names
 */
export function loadTargets(file: string): CheckedTargets {
  const { webhooks, issues } = parseYamlFile({
    ...{ code: 'notifications_invalid', phase: 'publish', file, wanted: 'a valid file of notification targets' },
    text: readFileSync(file, 'utf8'),
    schema: TargetsFile,
  });
  const problems: string[] = [];
  const beside = (path: string): string => resolve(dirname(file), path);
  const attempt = <T>(where: string, work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch (error) {
      problems.push(`${where}: ${error instanceof BadTemplate ? error.message : reasonOf(error)}`);
      return otherwise;
    }
  };
  const checked: CheckedTargets = {
    webhooks: webhooks.map((target) => {
      const { name, template, events } = target;
      const secretFile = beside(target.secretFile);
      attempt(`secretFile of ${name}`, () => void checkedWebhook(readSecretFile(secretFile)), undefined);
      if (template === undefined) return { ...target, secretFile, render: asJson };
      const read = () => templateOf(readFileSync(beside(template), 'utf8'), 'json', events);
      return { ...target, secretFile, render: attempt(`template of ${name}`, read, asJson) };
    }),
    issues: issues.map((target) => {
      const { name, template, events } = target;
      const read = () =>
        templateOf(
          template === undefined ? ISSUE_TEMPLATE : readFileSync(beside(template), 'utf8'),
          'markdown',
          events,
        );
      return { ...target, render: attempt(`template of ${name}`, read, asJson) };
    }),
  };
  if (problems.length === 0) return checked;
  const message = [`${file} is not a valid file of notification targets:`, ...problems].join('\n  ');
  throw new TaskError(message, { code: 'notifications_invalid', phase: 'publish' });
}
