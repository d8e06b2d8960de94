import { describeNeeding, PROJECT_ROOT } from '@assay/testing';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { officialImage } from './image-name';
import { readRows } from './read-rows';

const FILE = join(PROJECT_ROOT, '../shared/data/swebench/verified.jsonl.gz');

describeNeeding(existsSync(FILE) ? null : `${FILE} is not there`, 'the rows of SWE-bench Verified', () => {
  test('are all read: 500, each with tests, a script, a parser and its official image', async () => {
    const ids = new Set<string>();
    let failToPass = 0;
    let passToPass = 0;
    for await (const { row } of readRows(FILE)) {
      ids.add(row.instanceId);
      failToPass += row.hidden.failToPass.length;
      passToPass += row.hidden.passToPass.length;
      expect(row.image).toBe(officialImage(row.instanceId));
      expect(row.hidden.evalType).toBe('pass_and_fail');
      expect(row.hidden.evalScript).toContain('>>>>> Start Test Output');
      expect(row.visible.baseCommit).toMatch(/^[0-9a-f]{40}$/);
    }
    expect(ids.size).toBe(500);
    // The sums that the data set is known to have.
    expect({ failToPass, passToPass }).toEqual({ failToPass: 1_516, passToPass: 60_136 });
  });
});
