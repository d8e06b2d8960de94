import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeNeeding, withTempDir } from '@assay/testing';
import {
  type GradedPrediction,
  infraFailureInLogs,
  modelFolder,
  runReport,
  runReportFile,
  runReportJson,
} from '../index';
import { missingOfficial, officialRunReport } from './official';

const MODEL = 'owner/model-7b';
const DATASET = ['b__b-2', 'a__a-1', 'a__A-1', 'c__c-3', 'd__d-4', 'e__e-5', 'f__f-6', 'g__g-7', 'z__z-9'];

const GRADED: readonly (Omit<GradedPrediction, 'failure'> & { logs: string[] })[] = [
  { id: 'b__b-2', outcome: 'resolved', logs: ['ModuleNotFoundError is no matter here'] },
  { id: 'a__a-1', outcome: 'unresolved', logs: ['x\r\nKilled\r\ny', 'log'] },
  { id: 'a__A-1', outcome: 'unresolved', logs: ['nothing'] },
  { id: 'c__c-3', outcome: 'error', logs: ['', '>>>>> Patch Apply Failed:\nerror: x'] },
  { id: 'd__d-4', outcome: 'error', logs: ['partial\n\nTimeout error: 1800 seconds exceeded.', ''] },
  { id: 'e__e-5', outcome: 'empty', logs: [] },
  { id: 'f__f-6', outcome: 'error', logs: [] },
  { id: 'g__g-7', outcome: 'unresolved', logs: ['fine', 'Could not resolve host'] },
];

/** What the harness leaves for these outcomes. */
function leave(folder: string): void {
  for (const { id, outcome, logs } of GRADED) {
    const dir = join(folder, 'logs/run_evaluation/r1', modelFolder(MODEL), id);
    mkdirSync(dir, { recursive: true });
    ['test_output.txt', 'run_instance.log'].forEach((name, index) => {
      if (logs[index] !== undefined) writeFileSync(join(dir, name), logs[index]);
    });
    if (outcome === 'resolved' || outcome === 'unresolved') {
      writeFileSync(join(dir, 'report.json'), JSON.stringify({ [id]: { resolved: outcome === 'resolved' } }));
    }
  }
}

describeNeeding(missingOfficial(), 'the official package as an oracle of run reports', () => {
  test('every outcome, reason, id and key stands where the harness has it, byte for byte', () =>
    withTempDir(async (folder) => {
      leave(folder);
      const official = await officialRunReport({
        folder,
        run_id: 'r1',
        dataset: DATASET,
        predictions: Object.fromEntries(
          GRADED.map(({ id, outcome }) => [
            id,
            { instance_id: id, model_name_or_path: MODEL, model_patch: outcome === 'empty' ? '' : 'x' },
          ]),
        ),
      });
      const predictions = GRADED.map(({ logs, ...one }) => ({ ...one, failure: infraFailureInLogs(logs) }));
      expect(runReportJson(runReport(DATASET, predictions))).toBe(official.text);
      expect(runReportFile(MODEL, 'r1')).toBe(official.file);
    }));
});

test('a model whose name is no folder is refused', () => {
  for (const model of ['', '.', '..', 'a\0b']) expect(() => modelFolder(model)).toThrow(RangeError);
  expect(modelFolder('../../etc')).toBe('..__..__etc');
});
