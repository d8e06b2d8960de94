import { type Problem, PredictionLine, problemsOf } from '@assay/contracts';
import { linesOf, LineTooLong } from '@assay/suites';

/** A line of a set is bounded, because it is parsed in memory. Bytes; a patch and a trajectory are well below. */
export const MAX_LINE_BYTES = 268_435_456;

/** A line that is a prediction, or what is wrong with it; blank lines are skipped. */
export type ReadLine =
  | { readonly line: number; readonly prediction: PredictionLine }
  | { readonly line: number; readonly problems: readonly Problem[] };

/** Reads a set of predictions (JSON lines) as a stream. Never throws for what a line holds. */
export async function* predictionLines(input: AsyncIterable<Buffer>): AsyncGenerator<ReadLine> {
  let line = 0;
  try {
    for await (const text of linesOf(input, MAX_LINE_BYTES)) {
      line += 1;
      if (text.trim() !== '') yield parsed(text, line);
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    const expected = `expected at most ${error.maxBytes} bytes`;
    yield { line: error.line, problems: [{ field: `line ${error.line}`, value: '(too long)', expected }] };
  }
}

function parsed(text: string, line: number): ReadLine {
  const at = `line ${line}`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const expected = `expected a JSON object (${error instanceof Error ? error.message : String(error)})`;
    return { line, problems: [{ field: at, value: text.slice(0, 200), expected }] };
  }
  const checked = PredictionLine.safeParse(value);
  if (checked.success) return { line, prediction: checked.data };
  return {
    line,
    problems: problemsOf(checked.error, value).map((problem) => ({ ...problem, field: `${at}: ${problem.field}` })),
  };
}
