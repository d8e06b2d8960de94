import { type DispatchRequest, IdempotencyKey } from '@assay/contracts';
import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../api.client';
import { clientOf, withConnection } from '../connection';
import { answer, UsageError } from '../output';
import { environmentOf } from './submit-environment';
import { requireManifests } from './submit-manifests';
import { type SubmitOptions, withSubmitOptions } from './submit-options';
import { replyText, requireReceipt, tellWorkflow, workflowOutput, writeReceipt } from './submit-receipt';
import { releaseRequestOf } from './submit-release';
import { dispatchReplyOf } from './submit-reply';
import { requestOf } from './submit-request';

/** `assay submit`: what the Action does, by hand. */
export function submitCommand(program: Command): void {
  const command = withConnection(program.command('submit').description('hand in a release, or a run'));
  withSubmitOptions(command).action(async (options: SubmitOptions) => {
    requireReceipt(options.receipt);
    if (options.fromEnv === true) await submitFromEnvironment(options);
    else if (options.release !== undefined) {
      const body = releaseRequestOf(options);
      await submitRelease(clientOf(options), options, { body, key: keyOf(options.idempotencyKey), output: null });
    } else await submitRun(options);
  });
}

/** A run that the options describe themselves. */
async function submitRun(options: SubmitOptions): Promise<void> {
  const body = requestOf(options);
  const key = keyOf(options.idempotencyKey);
  const reply = await clientOf(options).submit(body, key);
  writeReceipt(options.receipt, reply);
  answer(options.json, reply, () =>
    [`${reply.runId} is ${reply.status}${reply.deduplicated ? ' (submitted before)' : ''}`, reply.statusUrl].join('\n'),
  );
}

/** A release, of which the server knows the rest. */
async function submitRelease(
  client: ApiClient,
  options: SubmitOptions,
  { body, key, output }: { readonly body: DispatchRequest; readonly key: string; readonly output: string | null },
): Promise<void> {
  const told = dispatchReplyOf(await client.handInRelease(body, key));
  const reply = told.status === 'SKIPPED' ? told : { ...told, runUrl: client.absolute(told.runUrl) };
  writeReceipt(options.receipt, reply);
  if (output !== null) tellWorkflow(output, reply);
  answer(options.json, reply, () => replyText(reply, reply.status === 'SKIPPED' ? '' : reply.runUrl));
}

/** What may stand beside --from-env: how to reach the server, and where the answer goes. */
const BESIDE_ENVIRONMENT = new Set(['fromEnv', 'url', 'tokenFile', 'caFile', 'json', 'receipt']);

async function submitFromEnvironment(options: SubmitOptions): Promise<void> {
  const [other] = Object.keys(options).filter((name) => !BESIDE_ENVIRONMENT.has(name));
  if (other !== undefined) {
    const option = `--${other.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new UsageError(`${option}: expected none with --from-env, which takes the release from the environment`);
  }
  const { body, idempotencyKey, manifests } = environmentOf(process.env);
  const key = keyOf(idempotencyKey, 'BENCHMARK_IDEMPOTENCY_KEY');
  const output = workflowOutput(process.env['GITHUB_OUTPUT']);
  const client = clientOf(options);
  await requireManifests(client, manifests);
  await submitRelease(client, options, { body, key, output });
}

/** A new key where none is given. Throws UsageError for one that the server would refuse. */
function keyOf(text: string | undefined, name = '--idempotency-key'): string {
  if (text === undefined) return `cli-${randomUUID()}`;
  const parsed = IdempotencyKey.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${name}: ${parsed.error.issues[0]?.message ?? ''}, got ${JSON.stringify(text)}`);
}
