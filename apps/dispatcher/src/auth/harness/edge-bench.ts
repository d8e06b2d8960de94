import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { AuditList, type AuditLine, TokenCreated, type TokenRequest } from '@assay/contracts';
import type { RunningService } from '@assay/service-kit';
import { allRows, eventually, OidcIssuer } from '@assay/testing';
import { call, type Reply, startDispatcher, type Surroundings } from '../../harness/test-dispatcher';

/** Lets the jobs in that `workflowClaims` describes, and those that a person starts on the main branch. */
export const POLICY = String.raw`
schema: assay.policy/1
access:
  repositories:
    - name: acme/agent
      id: '9001'
      ownerId: '7001'
      workflows: [.github/workflows/benchmark.yml]
      events: [release, workflow_dispatch]
      refs: ['^refs/tags/v\d+\.\d+\.\d+$', '^refs/heads/main$']
repositories:
  - name: acme/agent
    package: { registry: none, name: agent }
    rules:
      - { name: stable, event: release, prerelease: false, tag: '^v\d+\.\d+\.0$', suite: demo }
`;

/** A dispatcher that takes tokens of an issuer of its own. */
export interface EdgeBench {
  readonly around: Surroundings;
  readonly issuer: OidcIssuer;
  readonly service: RunningService;
}

export async function edgeBench(around: Surroundings, env: NodeJS.ProcessEnv = {}): Promise<EdgeBench> {
  const issuer = await OidcIssuer.start();
  const policy = join(around.dir, 'assay.policy.yaml');
  await writeFile(policy, POLICY);
  const service = await startDispatcher(around, {
    ASSAY_OIDC_ISSUER: issuer.url,
    ASSAY_OIDC_ALLOW_HTTP: 'true',
    ASSAY_OIDC_AUDIENCE: 'assay',
    ASSAY_POLICY_FILE: policy,
    ...env,
  });
  return { around, issuer, service };
}

/** A header that says who calls. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Makes a service token as the deployment. */
export async function serviceToken(service: RunningService, request: TokenRequest): Promise<TokenCreated> {
  const { status, body } = await call(service, 'POST', '/v1/tokens', { body: request });
  if (status !== 201) throw new Error(`no token was made: ${status} ${JSON.stringify(body)}`);
  return TokenCreated.parse(body);
}

/** The line of the audit log about this answer. */
export async function auditOf(service: RunningService, reply: Pick<Reply, 'headers'>): Promise<AuditLine> {
  const id = reply.headers.get('x-request-id');
  if (id === null) throw new Error('the answer has no x-request-id');
  return auditLine(service, (line) => line.requestId === id);
}

/** The newest line that is meant, as soon as it is there. */
export async function auditLine(service: RunningService, meant: (line: AuditLine) => boolean): Promise<AuditLine> {
  let found: AuditLine | undefined;
  const look = async (): Promise<boolean> => {
    const { calls } = AuditList.parse((await call(service, 'GET', '/v1/audit')).body);
    found = calls.find(meant);
    return found !== undefined;
  };
  await eventually(look, { timeoutMs: 10_000, what: 'the call to be in the audit log' });
  if (found === undefined) throw new Error('the audit log lost a line');
  return found;
}

/** How many rows each table has, but for the audit log. */
export async function stateOf({ server }: Surroundings): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { table } of await allRows(server.url)) {
    if (!table.endsWith('.audit_log')) counts[table] = (counts[table] ?? 0) + 1;
  }
  return counts;
}

/** Sends bytes as they are, and resolves with all that came back until the connection was closed. */
export async function exchange({ url }: { readonly url: string }, ...parts: string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A server that hangs up in the middle of what it is sent is one of the answers.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  for (const part of parts) socket.write(part);
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
}

/** A request as bytes; its connection is closed after the answer. */
export function requestText(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'host: assay', 'connection: close', ...headers, '', body].join('\r\n');
}
