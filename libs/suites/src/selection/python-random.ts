const SIZE = 624;
const SHIFT = 397;

/**
 * The part of Python's `random.Random(seed)` that shuffling needs, with the same numbers for the same seed: MT19937 seeded
 * by init_by_array with the 32-bit words of the seed, as CPython 3 does it. The Mersenne Twisters that npm keeps up
 * (pure-rand, @stdlib) cannot be seeded so. Not for secrets.
 */
export class PythonRandom {
  private readonly state = new Uint32Array(SIZE);
  private next = SIZE;

  /** @param seed a whole number from 0 to 2^53 - 1 @throws RangeError where it is none */
  constructor(seed: number) {
    if (!Number.isSafeInteger(seed) || seed < 0) throw new RangeError(`not a seed: ${seed}`);
    const high = Math.floor(seed / 2 ** 32);
    this.seedBy(high === 0 ? [seed] : [seed >>> 0, high]);
  }

  /** Shuffles in place, as `random.shuffle` does (Fisher-Yates from the end). */
  shuffle(items: unknown[]): void {
    for (let last = items.length - 1; last > 0; last -= 1) {
      const chosen = this.below(last + 1);
      [items[last], items[chosen]] = [items[chosen], items[last]];
    }
  }

  /** A whole number from 0 to `bound` - 1; `bound` from 1 to 2^31. As `random.randrange(bound)`. */
  below(bound: number): number {
    const bits = 32 - Math.clz32(bound);
    let drawn = this.word() >>> (32 - bits);
    while (drawn >= bound) drawn = this.word() >>> (32 - bits);
    return drawn;
  }

  /** The next 32 bits. */
  private word(): number {
    if (this.next === SIZE) this.twist();
    let word = this.at(this.next);
    this.next += 1;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  private twist(): void {
    for (let index = 0; index < SIZE; index += 1) {
      const joined = (this.at(index) & 0x80000000) | (this.at((index + 1) % SIZE) & 0x7fffffff);
      const odd = (joined & 1) === 0 ? 0 : 0x9908b0df;
      this.state[index] = this.at((index + SHIFT) % SIZE) ^ (joined >>> 1) ^ odd;
    }
    this.next = 0;
  }

  private seedBy(key: readonly number[]): void {
    this.state[0] = 19_650_218;
    for (let index = 1; index < SIZE; index += 1) this.state[index] = this.mixed(index, 1_812_433_253) + index;
    let index = 1;
    const advance = () => {
      index += 1;
      if (index < SIZE) return;
      this.state[0] = this.at(SIZE - 1);
      index = 1;
    };
    for (let step = 0; step < SIZE; step += 1) {
      const at = step % key.length;
      this.state[index] = (this.at(index) ^ this.mixed(index, 1_664_525)) + (key[at] ?? 0) + at;
      advance();
    }
    for (let step = 1; step < SIZE; step += 1) {
      this.state[index] = (this.at(index) ^ this.mixed(index, 1_566_083_941)) - index;
      advance();
    }
    this.state[0] = 0x80000000;
  }

  private mixed(index: number, factor: number): number {
    const before = this.at(index - 1);
    return Math.imul(before ^ (before >>> 30), factor);
  }

  private at(index: number): number {
    return this.state[index] ?? 0;
  }
}
