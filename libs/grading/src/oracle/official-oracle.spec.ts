import { existsSync } from 'node:fs';
import { describeNeeding, sharedData } from '@assay/testing';
import { gradeLog, LogParserError, parserNamed } from '../index';
import { GRADED, gradedLogs } from '../testdata/swebench-data';
import { generatedQuestions, SAMPLES, type RealLog } from './generated-logs';
import { missingOfficial, officialAnswers, type Answer, type Question } from './official';

const COUNT = 2_400;
const LONGEST = 60_000;

function ours(question: Question): Answer {
  try {
    if ('parser' in question) return { map: [...parserNamed(question.parser)(question.log)] };
    const { found, resolution, status_map, report } = gradeLog(question);
    return { found, resolution, status_map, report };
  } catch (error) {
    if (error instanceof LogParserError) return { error: 'LogParserError' };
    throw error;
  }
}

/** Any exception counts as an error of the instance, whatever its name. */
const comparable = (answer: Answer): string => JSON.stringify('error' in answer ? 'error' : answer);

async function logsToMutate(): Promise<readonly RealLog[]> {
  if (!existsSync(sharedData(GRADED))) return SAMPLES;
  const real: RealLog[] = [];
  for await (const { log, log_parser, eval_type, FAIL_TO_PASS, PASS_TO_PASS } of gradedLogs()) {
    if (log.length < LONGEST) real.push({ log, log_parser, eval_type, FAIL_TO_PASS, PASS_TO_PASS });
  }
  return [...real, ...SAMPLES];
}

describeNeeding(missingOfficial(), 'the official package as an oracle', () => {
  test(`${COUNT} generated logs get the same answers from both`, async () => {
    const seed = Number(process.env['ASSAY_ORACLE_SEED'] ?? Date.now() % 1_000_000);
    const questions = [...generatedQuestions(await logsToMutate(), COUNT, seed)];
    const answers = await officialAnswers(questions);
    expect(answers).toHaveLength(COUNT);
    const different = questions
      .map((question, index) => ({ question, official: answers[index]!, ours: ours(question) }))
      .filter((each) => comparable(each.official) !== comparable(each.ours))
      .sort((a, b) => a.question.log.length - b.question.log.length);
    const smallest = different[0];
    expect({ seed, differences: different.length, smallest }).toEqual({ seed, differences: 0, smallest: undefined });
  }, 600_000);
});
