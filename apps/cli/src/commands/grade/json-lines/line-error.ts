/** What is wrong with one line of input. It becomes an error line of the output, and the other lines go on. */
export class LineError extends Error {
  override readonly name = 'LineError';
}
