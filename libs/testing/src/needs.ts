/**
 * `describe`, or a skip with its reason where something that the tests need is missing. Under CI a missing need is a
 * failure, never a skip.
 * @param missing null when all is there, else what is missing, in words
 */
export function describeNeeding(missing: string | null, name: string, body: () => void): void {
  if (missing === null) {
    describe(name, body);
    return;
  }
  if (process.env['CI'] === 'true') {
    describe(name, () => {
      test('has what it needs', () => {
        throw new Error(`missing under CI: ${missing}`);
      });
    });
    return;
  }
  process.stderr.write(`skipped "${name}": ${missing}\n`);
  describe.skip(`${name} (skipped: ${missing})`, body);
}
