import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GradeSpec } from '@assay/contracts';
import type { SwebenchRow } from '@assay/suites';
import { GradeLog } from '../grade/grade-log';
import { scriptedSandbox } from '../harness/scripted-sandbox';
import { SwebenchJudge } from './swebench-judge';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-parser-'));
});
afterEach(() => rm(dir, { recursive: true }));

test('a row whose log no parser reads is EXECUTION_ERROR, as officially, and the message names the parser', async () => {
  const hidden = { failToPass: ['t'], passToPass: [], logParser: 'parse_log_nobody', evalType: 'pass_and_fail' };
  const row = { hidden: { ...hidden, evalScript: '#!/bin/bash\ntrue\n' } } as unknown as SwebenchRow;
  const spec = { patchOrigin: 'trial', grader: { timeoutSeconds: 5 }, instance: { id: 'i-1' } } as unknown as GradeSpec;
  const log = new GradeLog(join(dir, 'log'));
  const printed = '>>>>> Applied Patch (pred)\n>>>>> Start Test Output\nPASSED t\n>>>>> End Test Output\n';
  const sandbox = scriptedSandbox((command, { onOutput }) => {
    if (command.includes('/eval.sh')) onOutput?.(Buffer.from(printed));
    return {};
  });
  const request = { sandbox, log, patch: Buffer.from('x'), dir, signal: new AbortController().signal };
  await expect(new SwebenchJudge(row, spec).judge(request)).rejects.toMatchObject({
    blame: 'task',
    code: 'log_parser_failed',
    details: { logParser: 'parse_log_nobody' },
  });
  log.close();
});
