/** Pieces that are joined at once, so that a text of many small ones costs no array of them all. */
const MOST = 4096;

/** Builds a long text of many pieces in memory of about its own size. */
export class Pieces {
  private readonly joined: string[] = [];
  private latest: string[] = [];

  constructor(private readonly separator = '') {}

  push(piece: string): void {
    this.latest.push(piece);
    if (this.latest.length < MOST) return;
    this.joined.push(this.latest.join(this.separator));
    this.latest = [];
  }

  toString(): string {
    return [...this.joined, ...this.latest].join(this.separator);
  }
}
