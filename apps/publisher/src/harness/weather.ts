import type { Fault, GithubStandin } from '../../../../tools/github-standin/server.mjs';
import type { Seeded } from './seeded';

const THROTTLED = { message: 'You have exceeded a secondary rate limit.' };

const MOST_EDITS = 60;

/** What goes wrong, and what people do meanwhile. */
export class Weather {
  private edits = 0;
  readonly happened = new Map<string, number>();

  constructor(
    private readonly standin: GithubStandin,
    private readonly repository: string,
    private readonly random: Seeded,
  ) {}

  /** Lets up to three things go wrong for the next requests that fit; now and then the publisher's token ends. */
  brew(releaseId: number): void {
    if (this.random.chance(0.1)) {
      this.standin.revokeAppTokens();
      this.note('revoked');
    }
    for (let n = this.random.below(4); n > 0; n -= 1) {
      const fault = this.fault(releaseId);
      this.standin.fault(fault);
      this.note(fault.kind);
    }
  }

  private note(kind: string): void {
    this.happened.set(kind, (this.happened.get(kind) ?? 0) + 1);
  }

  private fault(releaseId: number): Fault {
    const method = this.random.one(['GET', 'POST', 'PATCH', 'DELETE']);
    switch (this.random.below(10)) {
      case 0:
        return { kind: 'answer', method, status: 429, body: THROTTLED, headers: { 'retry-after': '0' } };
      case 1:
        return { kind: 'answer', method, status: 403, body: THROTTLED, headers: { 'retry-after': '0' } };
      case 2:
        return { kind: 'answer', method, status: this.random.one([500, 502, 503]), times: 1 + this.random.below(3) };
      case 3:
        return {
          kind: 'answer',
          method: 'GET',
          path: '/releases/[0-9]+$',
          status: 404,
          body: { message: 'Not Found' },
        };
      case 4:
        return { kind: 'starter', method: 'POST' };
      case 5:
        return { kind: 'cut', method };
      case 6:
        return { kind: 'lost', method: this.random.one(['POST', 'PATCH', 'DELETE']) };
      case 7:
        return { kind: 'hang', method: this.random.one(['POST', 'PATCH']) };
      default:
        // Notes have an end: people who write for ever would leave no room for a result.
        return this.edits < MOST_EDITS ? this.edit(releaseId) : { kind: 'cut', method };
    }
  }

  /**
   * A person adds a line, above or below everything, right after a write of the publisher and before it hears of it: the
   * worst moment that is not the one round trip which GitHub leaves to nobody.
   */
  private edit(releaseId: number): Fault {
    this.edits += 1;
    const line = `A person's line ${this.edits}  `;
    const top = this.random.chance(0.5);
    const [method, path] = this.random.one([
      ['PATCH', `/releases/${releaseId}$`],
      ['POST', `/releases/${releaseId}/assets$`],
    ] as const);
    return {
      kind: 'edit',
      method,
      path,
      edit: { repository: this.repository, releaseId, ...(top ? { prepend: `${line}\n` } : { append: `\n${line}` }) },
    };
  }
}
