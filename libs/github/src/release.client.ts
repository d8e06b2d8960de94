import { InfraError } from '@assay/failures';
import type { Octokit } from '@octokit/rest';
import { type Call, type GithubAccess, GithubRequests } from './github-requests';
import { isSame, refuseForeignUploads } from './release-assets';
import { assetOf, type Release, type ReleaseAsset, releaseOf } from './release';
import type { NewAsset } from './new-asset';
import type { ReleasePort, Whereabouts, WriteGuard } from './release-client.port';
import { WritePace } from './write-pace';

export interface ReleaseClientOptions extends GithubAccess {
  /** Ends requests and waits. */
  readonly signal?: AbortSignal;
  /** Milliseconds between two writes; shared by giving the same pace to several clients. Default: one second. */
  readonly pace?: WritePace;
  /** Milliseconds that one request may take. Default 30 s. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;
const PAGE = 100;
/** A release holds at most 1000 assets. */
const MAX_PAGES = 10;

/**
 * Releases through Octokit, without its retry and throttling plugins. They repeat writes by themselves: a repeated PATCH
 * would overwrite what a person wrote during the wait, or follow a lost lease, and a repeated upload after a 502 meets
 * its own remains (measured; with both plugins a 429 also ignores Retry-After). So a request is made once, its failure
 * says how long to stay away, and the caller starts over from a fresh read.
 */
export class ReleaseClient implements ReleasePort {
  private readonly requests: GithubRequests;
  private readonly octokit: Octokit;
  private readonly pace: WritePace;

  constructor(private readonly options: ReleaseClientOptions) {
    this.pace = options.pace ?? new WritePace(1000);
    this.requests = new GithubRequests(options);
    this.octokit = this.requests.octokit;
  }

  getRelease(repository: string, id: number): Promise<Release> {
    return this.asked(`reading release ${id} of ${repository}`, async (request) => {
      const { data } = await this.octokit.rest.repos.getRelease({ ...named(repository), release_id: id, request });
      return releaseOf(data);
    });
  }

  async whereabouts(
    repository: string,
    { id, tag }: { readonly id: number; readonly tag: string },
  ): Promise<Whereabouts> {
    const by = named(repository);
    const { repos } = this.octokit.rest;
    const ofId = await this.shown(`reading release ${id} of ${repository}`, (request) =>
      repos.getRelease({ ...by, release_id: id, request }),
    );
    if (ofId !== null) return 'there';
    const ofTag = await this.shown(`reading the release of ${tag} in ${repository}`, async (request) => {
      const { data } = await repos.getReleaseByTag({ ...by, tag, request });
      return releaseOf(data);
    });
    if (ofTag !== null) return ofTag.id === id ? 'there' : 'made_anew';
    const others = await this.shown(`listing the releases of ${repository}`, (request) =>
      repos.listReleases({ ...by, per_page: 1, request }),
    );
    return others === null ? 'hidden' : 'deleted';
  }

  updateBody(repository: string, id: number, body: string, guard: WriteGuard): Promise<Release> {
    return this.written(`writing the notes of release ${id} of ${repository}`, guard, async (request) => {
      const change = { ...named(repository), release_id: id, body, request };
      const { data } = await this.octokit.rest.repos.updateRelease(change);
      return releaseOf(data);
    });
  }

  async listAssets(repository: string, id: number): Promise<ReleaseAsset[]> {
    const assets: ReleaseAsset[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const found = await this.asked(`listing the assets of release ${id} of ${repository}`, async (request) => {
        const wanted = { ...named(repository), release_id: id, per_page: PAGE, page, request };
        const { data } = await this.octokit.rest.repos.listReleaseAssets(wanted);
        return data.map(assetOf);
      });
      assets.push(...found);
      if (found.length < PAGE) break;
    }
    return assets;
  }

  async ensureAsset(repository: string, release: Release, asset: NewAsset, guard: WriteGuard): Promise<ReleaseAsset> {
    const standing = await this.settled(repository, release, asset, guard);
    if (standing !== null) return standing;
    try {
      return await this.upload(release, asset, guard);
    } catch (error) {
      // The upload may have been done all the same, or have left a piece that would block the name for ever.
      this.options.signal?.throwIfAborted();
      const left = await this.settled(repository, release, asset, guard);
      if (left !== null) return left;
      throw error;
    }
  }

  async deleteAsset(repository: string, assetId: number, guard: WriteGuard): Promise<void> {
    try {
      await this.written(`deleting asset ${assetId} of ${repository}`, guard, async (request) => {
        await this.octokit.rest.repos.deleteReleaseAsset({ ...named(repository), asset_id: assetId, request });
      });
    } catch (error) {
      if (!(error instanceof InfraError && error.code === 'github_not_found')) throw error;
    }
  }

  writeTurn(): Promise<void> {
    return this.pace.turn(this.options.signal);
  }

  /** The whole asset of this name and content, if it is there; another of its name is deleted. */
  private async settled(
    repository: string,
    release: Release,
    asset: NewAsset,
    guard: WriteGuard,
  ): Promise<ReleaseAsset | null> {
    const found = (await this.listAssets(repository, release.id)).find(({ name }) => name === asset.name);
    if (found === undefined) return null;
    if (isSame(found, asset)) return found;
    await this.deleteAsset(repository, found.id, guard);
    return null;
  }

  /** Octokit would send it to uploads.github.com whatever the base address: the release says where uploads go. */
  private async upload(release: Release, asset: NewAsset, guard: WriteGuard): Promise<ReleaseAsset> {
    refuseForeignUploads(release.uploadUrl, this.options.baseUrl);
    const { name, label, mediaType, size } = asset;
    return this.written(
      `uploading ${name}`,
      guard,
      async (request) => {
        const answer = await this.octokit.request(`POST ${release.uploadUrl}`, {
          name,
          label,
          headers: { 'content-type': mediaType, 'content-length': size },
          data: asset.open(),
          request,
        });
        return assetOf(answer.data);
      },
      uploadMs(size),
    );
  }

  /** Null for what GitHub does not know. */
  private async shown<T>(doing: string, call: Call<T>): Promise<T | null> {
    try {
      return await this.asked(doing, call);
    } catch (error) {
      if (error instanceof InfraError && error.code === 'github_not_found') return null;
      throw error;
    }
  }

  private written<T>(doing: string, guard: WriteGuard, call: Call<T>, moreMs = 0): Promise<T> {
    const before = async (): Promise<void> => {
      await this.writeTurn();
      await guard();
      this.pace.started();
    };
    return this.requests.asked(doing, call, { ...this.bounds(moreMs), before });
  }

  private asked<T>(doing: string, call: Call<T>): Promise<T> {
    return this.requests.asked(doing, call, this.bounds(0));
  }

  private bounds(moreMs: number): { timeoutMs: number; signal: AbortSignal | undefined } {
    const { signal, timeoutMs = TIMEOUT_MS } = this.options;
    return { timeoutMs: timeoutMs + moreMs, signal };
  }
}

function named(repository: string): { owner: string; repo: string } {
  const [owner = '', repo = ''] = repository.split('/');
  return { owner, repo };
}

/** What an upload may take beside the time of any request: at least 256 KiB a second. Milliseconds. */
function uploadMs(size: number): number {
  return Math.ceil(size / 262.144);
}
