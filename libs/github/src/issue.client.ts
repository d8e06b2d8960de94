import { type Call, type GithubAccess, GithubRequests } from './github-requests';
import { WritePace } from './write-pace';

export interface IssueClientOptions extends GithubAccess {
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
  private readonly requests: GithubRequests;

  constructor(private readonly options: IssueClientOptions) {
    this.requests = new GithubRequests(options);
  }

  /** @throws InfraError with GitHub's own reason, as `githubFailure` tells it */
  async comment(issue: IssueAddress, body: string): Promise<void> {
    const { pace } = this.options;
    const before = async (): Promise<void> => {
      await pace.turn();
      pace.started();
    };
    const { issues } = this.requests.octokit.rest;
    await this.asked(
      `commenting on ${nameOf(issue)}`,
      (request) => issues.createComment({ ...addressed(issue), body, request }),
      before,
    );
  }

  /** True when a comment since then holds this text. @throws as `comment` */
  async hasComment(issue: IssueAddress, text: string, since: Date): Promise<boolean> {
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const { data } = await this.asked(`reading the comments of ${nameOf(issue)}`, (request) =>
        this.requests.octokit.rest.issues.listComments({
          ...addressed(issue),
          ...{ since: since.toISOString(), per_page: PAGE, page, request },
        }),
      );
      if (data.some(({ body }) => body?.includes(text) === true)) return true;
      if (data.length < PAGE) return false;
    }
    return false;
  }

  private asked<T>(doing: string, call: Call<T>, before = async () => {}): Promise<T> {
    return this.requests.asked(doing, call, { timeoutMs: this.options.timeoutMs, before });
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
