import { describeWithData } from '@assay/testing';
import { gradeLog, parserNamed } from './index';
import { edgeLogs, edgeParses, gradedLogs, GRADED } from './testdata/swebench-data';

describeWithData('the official answers', GRADED, () => {
  test('923 real logs get the same found, statuses, order, report and resolution', async () => {
    const wrong: string[] = [];
    let count = 0;
    for await (const row of gradedLogs()) {
      count += 1;
      const grade = gradeLog(row);
      const official = {
        found: row.found,
        resolution: row.resolution,
        status_map: Object.entries(row.status_map[1][1]),
        report: row.report[row.instance_id],
      };
      const ours = {
        found: grade.found,
        resolution: grade.resolution,
        status_map: [...grade.statuses],
        report: grade.report,
      };
      if (JSON.stringify(ours) !== JSON.stringify(official)) wrong.push(`${row.instance_id} (line ${count})`);
    }
    expect(wrong).toEqual([]);
    expect(count).toBe(923);
  });

  test.each(edgeParses().map((edge, index) => ({ index, ...edge })))(
    '$index: $parser reads $log',
    ({ parser, log, map }) => {
      expect([...parserNamed(parser)(log)]).toEqual(map);
    },
  );

  test.each(edgeLogs())('a whole log: $name', (edge) => {
    const { report, resolution } = gradeLog(edge);
    expect({ report, resolution }).toEqual({ report: edge.report, resolution: edge.resolution });
  });
});
