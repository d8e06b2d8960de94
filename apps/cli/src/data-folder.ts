import { requireFolder } from './path-option';

const wanted = 'a folder of data sets';

/**
 * What `${ASSAY_DATA_DIR}` stands for in suites; null: nothing. An empty variable counts as absent.
 * Throws UsageError for what is no folder.
 * @param given that of --data, which outranks the variable
 */
export function dataFolder(given?: string): string | null {
  if (given !== undefined) {
    requireFolder({ option: '--data', wanted }, given);
    return given;
  }
  const fromEnvironment = process.env['ASSAY_DATA_DIR'] ?? '';
  if (fromEnvironment === '') return null;
  requireFolder({ option: 'ASSAY_DATA_DIR', wanted }, fromEnvironment);
  return fromEnvironment;
}
