import type { Notification } from '@assay/contracts';
import { markdownText } from '@assay/github';
import mustache from 'mustache';
import { aSample } from './sample';

/** What a notification looks like where it arrives. */
export type Rendering = (notification: Notification) => string;

/** How values are written into a template: so that they cannot break out of a JSON string, or of a paragraph. */
export type TemplateKind = 'json' | 'markdown';

const ESCAPES: Readonly<Record<TemplateKind, (value: unknown) => string>> = {
  json: (value) => JSON.stringify(String(value)).slice(1, -1),
  markdown: (value) => markdownText(String(value)),
};

/** Where there is no template: the notification itself. */
export const asJson: Rendering = (notification) => JSON.stringify(notification);

/** Why a template cannot be used, in a sentence that names the place. */
export class BadTemplate extends Error {}

/**
 * A mustache template (https://mustache.github.io/mustache.5.html), filled with notifications. It is tried at once with an
 * example of each event: what it then cannot do would fail in the night.
 * @throws BadTemplate for what is no mustache, names what no notification has, or (of kind json) makes no JSON
 */
export function templateOf(text: string, kind: TemplateKind, events: readonly Notification['event'][]): Rendering {
  refuseUnknownNames(parsed(text));
  const render: Rendering = (notification) => mustache.render(text, notification, undefined, { escape: ESCAPES[kind] });
  for (const event of events) {
    for (const sample of [aSample(event, 'full'), aSample(event, 'bare')]) refuseBroken(render(sample), kind, event);
  }
  return render;
}

type Token = readonly unknown[];

function parsed(text: string): Token[] {
  try {
    return mustache.parse(text);
  } catch (error) {
    throw new BadTemplate(`it is no mustache template: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function refuseUnknownNames(tokens: readonly Token[]): void {
  for (const [type, name, , , inner] of tokens) {
    if (type === '>') throw new BadTemplate(`it includes ${String(name)}: expected no other template`);
    if (['name', '&', '#', '^'].includes(String(type)) && !NAMES.has(String(name))) {
      throw new BadTemplate(`it names ${String(name)}: expected one of ${[...NAMES].join(', ')}`);
    }
    if (Array.isArray(inner)) refuseUnknownNames(inner as Token[]);
  }
}

/** Every name that a notification has, by its whole path, and (inside of a section) by its last part. */
const NAMES: ReadonlySet<string> = new Set(['.', ...namesIn(aSample('run.ended', 'full'), [])]);

function namesIn(value: unknown, path: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => namesIn(item, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    [...path, key].join('.'),
    key,
    ...namesIn(member, [...path, key]),
  ]);
}

function refuseBroken(rendered: string, kind: TemplateKind, event: string): void {
  if (rendered.trim() === '') throw new BadTemplate(`it says nothing of ${event}`);
  if (kind !== 'json') return;
  try {
    JSON.parse(rendered);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BadTemplate(`what it makes of ${event} is no JSON: ${why}`);
  }
}
