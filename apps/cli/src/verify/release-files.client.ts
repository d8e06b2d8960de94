import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReleaseFile } from '@assay/github';
import { z } from 'zod';
import { ApiError } from '../api.client';
import type { Fetch } from '../trusting-fetch';
import type { ReleaseAddress } from './release-address';

/**
 * https://docs.github.com/en/rest/releases/assets. GitHub renames files to letters, digits, dots, dashes and underscores; a name
 * that holds anything else would not be a file of one folder.
 */
const Asset = z.object({
  id: z.int(),
  name: z.string().regex(/^[A-Za-z0-9._-]+$/),
  url: z.url(),
  browser_download_url: z.url(),
});
/** https://docs.github.com/en/rest/releases/releases#get-a-release-by-tag-name */
const Release = z.object({ id: z.int(), body: z.string().nullish() });

const PAGE = 100;
const MOST_PAGES = 10;
const REQUEST_MS = 30_000;
const DOWNLOAD_MS = 3_600_000;

export interface ReleaseFilesOptions {
  /** Root of GitHub's REST API. */
  readonly apiUrl: string;
  /** Null: anonymous. */
  readonly token: string | null;
  readonly fetch: Fetch;
}

export interface FetchedRelease {
  readonly notes: string;
  readonly files: readonly ReleaseFile[];
}

/** Reads a release and fetches files of it. Every failure is an ApiError that says what was asked. */
export class ReleaseFiles {
  constructor(private readonly options: ReleaseFilesOptions) {}

  /**
   * Fetches the release's files that `wanted` picks by name into the folder.
   * @returns the release's notes, and the fetched files with the addresses at which anybody gets them
   */
  async fetch(
    { repository, tag }: ReleaseAddress,
    folder: string,
    wanted: (name: string) => boolean,
  ): Promise<FetchedRelease> {
    const root = `${this.options.apiUrl.replace(/\/+$/, '')}/repos/${repository}/releases`;
    const release = await this.json(`${root}/tags/${encodeURIComponent(tag)}`, Release);
    const files: ReleaseFile[] = [];
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const assets = await this.json(`${root}/${release.id}/assets?per_page=${PAGE}&page=${page}`, z.array(Asset));
      for (const asset of assets.filter(({ name }) => wanted(name))) {
        await this.download(asset, folder);
        files.push({ name: asset.name, url: asset.browser_download_url });
      }
      if (assets.length < PAGE) break;
    }
    return { notes: release.body ?? '', files };
  }

  private async download({ name, url }: z.infer<typeof Asset>, folder: string): Promise<void> {
    const answer = await this.ask(url, 'application/octet-stream', DOWNLOAD_MS);
    if (answer.body === null) throw new ApiError(`${url} answered without the file ${name}`, answer.status);
    await pipeline(Readable.fromWeb(answer.body), createWriteStream(join(folder, name)));
  }

  private async json<S extends z.ZodType>(url: string, schema: S): Promise<z.infer<S>> {
    const answer = await this.ask(url, 'application/vnd.github+json', REQUEST_MS);
    const parsed = schema.safeParse(await answer.json().catch(() => null));
    if (!parsed.success) throw new ApiError(`${url} answered something else than expected`, answer.status);
    return parsed.data;
  }

  private async ask(url: string, accept: string, timeoutMs: number): Promise<Response> {
    const { token } = this.options;
    const headers = {
      accept,
      'user-agent': 'assay',
      'x-github-api-version': '2022-11-28',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
    const answer = await this.options
      .fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) })
      .catch((error: unknown) => {
        const reason =
          error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : '';
        throw new ApiError(`no answer from ${url}: ${reason}`, null);
      });
    if (answer.ok) return answer;
    await answer.body?.cancel();
    throw new ApiError(
      `${url} answered ${answer.status}${answer.status === 404 ? ': no such release, or it is private' : ''}`,
      answer.status,
    );
  }
}
