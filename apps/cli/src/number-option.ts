import { UsageError } from './output';

/** Which numbers an option takes. */
export interface NumberRange {
  readonly low: number;
  readonly high: number;
  readonly whole: boolean;
}

/** The number in plain decimal digits; undefined where it is none, or out of range. */
export function numberWithin(text: string, { low, high, whole }: NumberRange): number | undefined {
  if (!(whole ? /^\d+$/ : /^\d+(\.\d+)?$/).test(text)) return undefined;
  const value = Number(text);
  return value >= low && value <= high ? value : undefined;
}

/** In words, e.g. `expected a whole number from 1 to 8`; an upper bound that is only the machine's is not told. */
export function rangeText({ low, high, whole }: NumberRange): string {
  const end = high === Number.MAX_SAFE_INTEGER ? '' : ` to ${high}`;
  return `expected ${whole ? 'a whole number' : 'a number'} from ${low}${end}`;
}

/** Throws UsageError naming the option, what was expected and the value. */
export function numberOption(option: string, text: string, range: NumberRange): number {
  const value = numberWithin(text, range);
  if (value === undefined) throw new UsageError(`${option}: ${rangeText(range)}, got ${JSON.stringify(text)}`);
  return value;
}
