import type { Counts, Score } from '@assay/contracts';
import { scorableOf } from './counts';

/** The 97.5 % quantile of the normal distribution. */
const Z = 1.959963984540054;

/** `part` of `whole` in percent, two decimals, half rounded up; in integers, so that 0.285 does not become 0.28. */
export function percentOf(part: number, whole: number): number {
  if (!Number.isInteger(part) || !Number.isInteger(whole) || part < 0 || part > whole || whole === 0) {
    throw new RangeError(`no percentage of ${part} in ${whole}`);
  }
  return Math.floor((20_000 * part + whole) / (2 * whole)) / 100;
}

/**
 * The 95 % Wilson score interval (Wilson 1927) of `successes` in `n`, in percent with two decimals. Of n = 0 nothing is
 * known: 0 to 100.
 */
export function wilson95(successes: number, n: number): { low: number; high: number } {
  if (n === 0 && successes === 0) return { low: 0, high: 100 };
  percentOf(successes, n);
  const p = successes / n;
  const centre = p + (Z * Z) / (2 * n);
  const half = Z * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n));
  const scale = 1 + (Z * Z) / n;
  // At the edges the bound is the edge itself; floating point would leave it a hair inside.
  const low = successes === 0 ? 0 : (centre - half) / scale;
  const high = successes === n ? 1 : (centre + half) / scale;
  return { low: twoDecimals(low * 100), high: twoDecimals(high * 100) };
}

/**
 * Score = RESOLVED / (RESOLVED + UNRESOLVED), with all that must stand beside it (design rule 5). Null when nothing is
 * scorable. Says nothing about whether it may be published: `decideGate` does.
 */
export function scoreOf(counts: Counts): Score | null {
  const scorable = scorableOf(counts);
  if (scorable === 0) return null;
  return {
    percent: percentOf(counts.resolved, scorable),
    scorable,
    percentOfAll: percentOf(counts.resolved, counts.total),
    percentAtMost: percentOf(counts.total - counts.unresolved, counts.total),
    coveragePercent: percentOf(scorable, counts.total),
    wilson95: wilson95(counts.resolved, scorable),
  };
}

function twoDecimals(value: number): number {
  return Math.floor(value * 100 + 0.5) / 100;
}
