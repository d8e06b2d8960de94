import { describeWithData, sharedData } from '@assay/testing';
import { imageFor, officialImage } from './image-name';
import { readRows } from './read-rows';

const FILE = 'swebench/verified.jsonl.gz';

describeWithData('the rows of SWE-bench Verified', FILE, () => {
  test('are all read: 500, each with tests, a script, a parser and its official image', async () => {
    const ids = new Set<string>();
    let failToPass = 0;
    let passToPass = 0;
    for await (const { row } of readRows(sharedData(FILE))) {
      ids.add(row.instanceId);
      failToPass += row.hidden.failToPass.length;
      passToPass += row.hidden.passToPass.length;
      expect(row.image).toBe(officialImage(row.instanceId));
      expect(imageFor({ ...row, image: null }, {})).toBe(row.image);
      expect(row.hidden.evalType).toBe('pass_and_fail');
      expect(row.hidden.evalScript).toContain('>>>>> Start Test Output');
      expect(row.visible.baseCommit).toMatch(/^[0-9a-f]{40}$/);
    }
    expect(ids.size).toBe(500);
    // The sums that the data set is known to have.
    expect({ failToPass, passToPass }).toEqual({ failToPass: 1_516, passToPass: 60_136 });
  });
});
