import { Octokit } from '@octokit/rest';
import { githubFailure } from './github-failure';
import { WritePace } from './write-pace';

export interface IssueClientOptions {
  /** As of `ReleaseClient`. */
  readonly baseUrl: string;
  readonly token: () => string | Promise<string>;
  /** Shared with whatever else writes with this token. */
  readonly pace: WritePace;
  /** Milliseconds that one request may take. */
  readonly timeoutMs: number;
}

/** GitHub's limit; characters beyond it are cut. */
export const MAX_COMMENT = 65_536;
const PAGE = 100;
const MAX_PAGES = 10;

/** Comments on issues, through Octokit without its retries (docs/adr/0007-octokit-without-retry-plugins.md). */
export class IssueClient {
  private readonly octokit: Octokit;

  constructor(private readonly options: IssueClientOptions) {
    const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
    this.octokit = new Octokit({ baseUrl: options.baseUrl.replace(/\/+$/, ''), userAgent: 'assay', log: silent });
    this.octokit.hook.before('request', async (request) => {
      request.headers.authorization = `Bearer ${await options.token()}`;
      request.headers['x-github-api-version'] = '2022-11-28';
    });
  }

  /** @throws InfraError with GitHub's own reason, as `githubFailure` tells it */
  async comment(issue: IssueAddress, body: string): Promise<void> {
    const { pace } = this.options;
    await pace.turn();
    pace.started();
    await this.asked(`commenting on ${nameOf(issue)}`, (request) =>
      this.octokit.rest.issues.createComment({ ...addressed(issue), body, request }),
    );
  }

  /** True when a comment since then holds this text. @throws as `comment` */
  async hasComment(issue: IssueAddress, text: string, since: Date): Promise<boolean> {
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const { data } = await this.asked(`reading the comments of ${nameOf(issue)}`, (request) =>
        this.octokit.rest.issues.listComments({
          ...addressed(issue),
          ...{ since: since.toISOString(), per_page: PAGE, page, request },
        }),
      );
      if (data.some(({ body }) => body?.includes(text) === true)) return true;
      if (data.length < PAGE) return false;
    }
    return false;
  }

  private async asked<T>(doing: string, call: (request: { signal: AbortSignal }) => Promise<T>): Promise<T> {
    try {
      return await call({ signal: AbortSignal.timeout(this.options.timeoutMs) });
    } catch (error) {
      throw githubFailure(error, doing, Date.now());
    }
  }
}

/** An issue or a pull request. */
export interface IssueAddress {
  /** owner/name */
  readonly repository: string;
  readonly issue: number;
}

function addressed({ repository, issue }: IssueAddress): { owner: string; repo: string; issue_number: number } {
  const [owner = '', repo = ''] = repository.split('/');
  return { owner, repo, issue_number: issue };
}

function nameOf({ repository, issue }: IssueAddress): string {
  return `${repository}#${issue}`;
}

function ignore(): void {
  // Octokit's own log lines: our failures say more.
}
