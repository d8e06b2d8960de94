import { z } from 'zod';

export const DEMO_REPOSITORY = 'example/coding-agent';
export const DEMO_TAG = 'v1.0.0';
export const DEMO_COMMIT = '4f1c2d3e5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d';

const Release = z.object({ id: z.number(), tag_name: z.string(), body: z.string().nullable(), html_url: z.string() });
export type DemoRelease = z.infer<typeof Release>;

/** What a maintainer wrote: the pipeline must leave every character of it as it is. */
const NOTES = [
  '## What is new',
  '',
  '- Reads the failing test before it edits anything',
  '- Fewer questions, shorter patches',
  '',
  'Thanks to everybody who sent issues.',
  '',
].join('\r\n');

/** The release on the stand-in of GitHub that the demo evaluates and writes to; made at the first start. */
export class DemoReleaseClient {
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  async ensure(): Promise<DemoRelease> {
    const found = await this.read();
    if (found !== null) return found;
    return Release.parse(
      await this.call('POST', `/repos/${DEMO_REPOSITORY}/releases`, {
        tag_name: DEMO_TAG,
        target_commitish: DEMO_COMMIT,
        name: 'Coding agent 1.0.0',
        body: NOTES,
      }),
    );
  }

  async read(): Promise<DemoRelease | null> {
    const answer = await this.call('GET', `/repos/${DEMO_REPOSITORY}/releases/tags/${DEMO_TAG}`);
    return answer === null ? null : Release.parse(answer);
  }

  /** Null for 404. */
  private async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
    if (answer.status === 404) return null;
    if (!answer.ok) throw new Error(`the stand-in of GitHub answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}
