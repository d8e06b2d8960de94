import {
  type GithubStandin,
  type GithubStandinOptions,
  startGithubStandin,
} from '../../../../tools/github-standin/server.mjs';

export const REPOSITORY = 'acme/agent';
export const TOKEN = 'write-token';

export interface AssetBody {
  id: number;
  name: string;
  state: string;
  size: number;
  digest: string | null;
  url: string;
  browser_download_url: string;
}

export interface ReleaseBody {
  id: number;
  tag_name: string;
  body: string | null;
  draft: boolean;
  immutable: boolean;
  upload_url: string;
  html_url: string;
  assets: AssetBody[];
}

export interface Reply<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** A stand-in with one repository, and plain requests to it. */
export class GithubCaller {
  private constructor(readonly standin: GithubStandin) {}

  static async start(options: GithubStandinOptions = {}): Promise<GithubCaller> {
    const defaults = { token: TOKEN, readToken: 'read-token', repositories: [REPOSITORY], check: true };
    return new GithubCaller(await startGithubStandin({ ...defaults, ...options }));
  }

  async call<T = { message: string; errors?: unknown[] }>(
    method: string,
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
  ): Promise<Reply<T>> {
    const url = path.startsWith('http') ? path : `${this.standin.url}/repos/${REPOSITORY}${path}`;
    const reply = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, body: (text === '' ? null : JSON.parse(text)) as T };
  }

  control(method: string, path: string, body?: object): Promise<Reply<Record<string, unknown>>> {
    return this.call(method, `${this.standin.url}/_standin${path}`, body);
  }

  async release(fields: object = {}): Promise<ReleaseBody> {
    const { status, body } = await this.call<ReleaseBody>('POST', '/releases', { tag_name: 'v1.2.0', ...fields });
    if (status !== 201) throw new Error(`not created: ${JSON.stringify(body)}`);
    return body;
  }

  async read(id: number): Promise<ReleaseBody> {
    return (await this.call<ReleaseBody>('GET', `/releases/${id}`)).body;
  }

  upload<T = AssetBody>(release: ReleaseBody, name: string, content = '{}'): Promise<Reply<T>> {
    const url = `${release.upload_url.replace(/\{.*\}$/, '')}?name=${encodeURIComponent(name)}`;
    return this.call<T>('POST', url, content, { 'content-type': 'application/json' });
  }
}
