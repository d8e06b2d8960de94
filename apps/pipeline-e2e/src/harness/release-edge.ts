import {
  eventually,
  freePort,
  freshDatabase,
  OidcIssuer,
  PROJECT_ROOT,
  TestNats,
  type TestDatabase,
} from '@assay/testing';
import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { startGithubStandin, type GithubStandin } from '../../../../tools/github-standin/server.mjs';
import { ServiceProcess } from './service-process';

/** The repository of the policy that Assay ships. */
export const RELEASED = 'QwenLM/qwen-code';
const TOKEN = 'edge-api-token-0123456789abcdef';
/** As the stand-in of the issuer claims. */
const ACCESS = `
access:
  repositories:
    - name: ${RELEASED}
      id: '9001'
      ownerId: '7001'
      workflows: [.github/workflows/release-benchmark.yml]
      events: [release, workflow_dispatch]
      refs: ['^refs/tags/.+$', '^refs/heads/main$']
`;

export interface PublishedRelease {
  readonly tag: string;
  readonly prerelease?: boolean;
  readonly draft?: boolean;
  readonly body?: string;
}

/**
 * What a release meets first, over HTTPS: dispatcher and coordinator as processes, with the policy that is shipped, an
 * issuer of OIDC tokens and a GitHub. No package is ever found, so that every run stays WAITING.
 */
export class ReleaseEdge {
  private constructor(
    readonly dir: string,
    private readonly database: TestDatabase,
    private readonly nats: TestNats,
    readonly github: GithubStandin,
    readonly issuer: OidcIssuer,
    private readonly services: readonly ServiceProcess[],
    /** Of the dispatcher. */
    readonly url: string,
    readonly caFile: string,
  ) {}

  static async start(): Promise<ReleaseEdge> {
    const dir = await mkdtemp(join(tmpdir(), 'assay-edge-'));
    const [database, nats, github, issuer, port] = await Promise.all([
      freshDatabase(),
      TestNats.start(),
      startGithubStandin({ repositories: [RELEASED], check: true }),
      OidcIssuer.start(),
      freePort(),
    ]);
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'assay' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const policy = await readFile(join(PROJECT_ROOT, 'assay.policy.yaml'), 'utf8');
    const file = async (name: string, text: string) => {
      await writeFile(join(dir, name), text, { mode: 0o600 });
      return join(dir, name);
    };
    const common = {
      DATABASE_URL: database.url,
      NATS_URL: nats.url,
      ASSAY_NAMESPACE: 'edge',
      ASSAY_TIME_SCALE: '0.03',
      ASSAY_ARTIFACTS_DIR: join(dir, 'artifacts'),
    };
    const caFile = await file('cert.pem', cert);
    const coordinator = await ServiceProcess.of('coordinator', common);
    const dispatcher = await ServiceProcess.of('dispatcher', {
      ...common,
      ASSAY_HTTP_PORT: String(port),
      ASSAY_SUITES_DIR: join(PROJECT_ROOT, 'suites'),
      ASSAY_API_TOKEN_FILE: await file('token', TOKEN),
      ASSAY_TLS_CERT_FILE: caFile,
      ASSAY_TLS_KEY_FILE: await file('key.pem', key),
      ASSAY_OIDC_ISSUER: issuer.url,
      ASSAY_OIDC_ALLOW_HTTP: 'true',
      ASSAY_OIDC_AUDIENCE: 'assay',
      ASSAY_POLICY_FILE: await file('policy.yaml', policy + ACCESS),
      GITHUB_API_URL: github.url,
      NPM_CONFIG_REGISTRY: 'http://127.0.0.1:1',
    });
    const url = `https://127.0.0.1:${port}`;
    const edge = new ReleaseEdge(dir, database, nats, github, issuer, [coordinator, dispatcher], url, caFile);
    try {
      coordinator.spawn();
      await coordinator.ready(60_000);
      dispatcher.spawn();
      await edge.ready(dispatcher);
    } catch (error) {
      await edge.stop();
      throw error;
    }
    return edge;
  }

  private async ready(dispatcher: ServiceProcess): Promise<void> {
    const answered = async () => (await this.get('/readyz').catch(() => null))?.status === 200;
    await eventually(answered, { timeoutMs: 60_000, what: 'the dispatcher' }).catch((error: unknown) => {
      throw new Error(`the dispatcher is not ready:\n${dispatcher.output.slice(-4_000)}`, { cause: error });
    });
  }

  /** Publishes a release as a person does. */
  async publish({ tag, ...release }: PublishedRelease): Promise<void> {
    const answer = await fetch(`${this.github.url}/repos/${RELEASED}/releases`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body: JSON.stringify({ tag_name: tag, name: tag, target_commitish: 'c'.repeat(40), ...release }),
    });
    if (!answer.ok) throw new Error(`the stand-in of GitHub answered ${answer.status}: ${await answer.text()}`);
  }

  /** The tags of all runs that there are, in the order of the alphabet. */
  async runTags(): Promise<string[]> {
    const { text } = await this.get('/v1/runs?limit=100');
    const { runs } = JSON.parse(text) as { runs: { release: { tag: string } | null }[] };
    return runs.map(({ release }) => release?.tag ?? '(none)').sort();
  }

  get(path: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const call = async () => ({
        ca: await readFile(this.caFile, 'utf8'),
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      void call().then((options) => {
        request(`${this.url}${path}`, options, (response) => {
          let text = '';
          response.on('data', (chunk) => (text += String(chunk)));
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, text });
          });
        })
          .on('error', reject)
          .end();
      }, reject);
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.services.map((service) => service.end()));
    await Promise.all([this.github.stop(), this.issuer.stop(), this.nats.stop()]);
    await this.database.drop();
    await rm(this.dir, { recursive: true, force: true });
  }
}
