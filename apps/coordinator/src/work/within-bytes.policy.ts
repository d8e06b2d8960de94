/** The first of some values that fit into so many bytes as JSON, commas counted. */
export function withinBytes<T>(values: readonly T[], bytes: number): T[] {
  let left = bytes;
  const end = values.findIndex((value) => {
    left -= Buffer.byteLength(JSON.stringify(value)) + 1;
    return left < 0;
  });
  return end === -1 ? [...values] : values.slice(0, end);
}
