/** Bytes that are kept of an agent's log; the rest is dropped and marked. */
const MAX_BYTES = 16_777_216;

/** An agent's raw log, bounded. */
export class AgentLog {
  private readonly parts: Buffer[] = [];
  private size = 0;
  private dropped = 0;

  write(text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    const room = Math.max(0, MAX_BYTES - this.size);
    const kept = bytes.subarray(0, room);
    this.dropped += bytes.length - kept.length;
    if (kept.length === 0) return;
    this.parts.push(kept);
    this.size += kept.length;
  }

  bytes(): Buffer {
    const mark = this.dropped === 0 ? [] : [Buffer.from(`\n[${this.dropped} bytes left out]\n`)];
    return Buffer.concat([...this.parts, ...mark]);
  }
}
