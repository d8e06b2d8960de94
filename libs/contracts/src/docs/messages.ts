import { z } from 'zod';
import { DispatchReply, DispatchRequest } from '../edge.schema';
import { FLOW } from '../flow';
import { SubmitRequest } from '../http.schema';
import { Namespace } from '../ids';
import { RPC_SCHEMAS } from '../rpc';
import { names } from '../subjects';
import * as work from '../work.message';

const NOTE = '<!-- Made from libs/contracts by `npm run docs`; a test fails when it is stale. -->';

/** docs/messages.md: the flow table, the subjects of a deployment named `assay`, and every message's fields. */
export function messagesMarkdown(): string {
  const messages: [string, z.ZodType][] = [
    ['http:POST /v1/releases', DispatchRequest],
    ['http:POST /v1/releases reply', DispatchReply],
    ['http:POST /v1/runs', SubmitRequest],
    ['stream:run.submitted', work.RunSubmittedMessage],
    ['stream:work.*', work.WorkMessage],
    ['stream:result.*', work.ResultMessage],
    ['core:control.cancel', work.CancelMessage],
    ...Object.entries(RPC_SCHEMAS).flatMap(([name, { request, reply }]): [string, z.ZodType][] => [
      [`rpc:${name} request`, request],
      [`rpc:${name} reply`, reply],
    ]),
  ];
  return [
    '# Messages',
    '',
    NOTE,
    '',
    'Who takes what and hands on what. The table is `FLOW` in libs/contracts/src/flow.ts; every app is tested against it.',
    '',
    '| stage | app | consumes | emits |',
    '| --- | --- | --- | --- |',
    ...FLOW.map(({ stage, app, consumes, emits }) => `| ${stage} | ${app} | ${codes(consumes)} | ${codes(emits)} |`),
    '',
    '## Streams and subjects',
    '',
    'Of a deployment whose namespace is `assay`. A work message is a wake-up: it carries ids and no authority.',
    '',
    '| what | name |',
    '| --- | --- |',
    ...subjectRows(),
    '',
    ...messages.flatMap(([name, schema]) => [`## ${name}`, '', '```json', shapeOf(schema), '```', '']),
  ].join('\n');
}

function codes(list: readonly string[]): string {
  return list.map((item) => `\`${item}\``).join(' ');
}

function subjectRows(): string[] {
  const all = names(Namespace.parse('assay'));
  return Object.entries(all).flatMap(([name, value]) =>
    typeof value === 'string' ? [`| ${name} | \`${value}\` |`] : [],
  );
}

function shapeOf(schema: z.ZodType): string {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return JSON.stringify(shape, null, 1);
}
