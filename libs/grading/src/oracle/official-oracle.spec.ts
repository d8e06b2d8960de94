import { existsSync } from 'node:fs';
import { describeNeeding, sharedData } from '@assay/testing';
import { gradeLog, GRADING_RULES, LogParserError, parserNamed, type GradingRules } from '../index';
import { GRADED, gradedLogs } from '../testdata/swebench-data';
import { generatedQuestions, SAMPLES, type RealLog } from './generated-logs';
import { missingOfficial, officialAnswers, type Answer, type Question } from './official';

/** Generated logs for each release. */
const COUNT = { 'swebench-5.0.2': 2_400, 'swebench-4.1.0': 1_200 } as const;
const LONGEST = 60_000;

function ours(question: Question, rules: GradingRules): Answer {
  try {
    if ('parser' in question) return { map: [...parserNamed(question.parser, rules)(question.log)] };
    const { found, resolution, statuses, report } = gradeLog({ ...question, rules });
    return { found, resolution, status_map: [...statuses], report };
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

describe.each(GRADING_RULES)('the official package as an oracle: %s', (rules) => {
  describeNeeding(missingOfficial(rules), `at hand: ${rules}`, () => {
    test(`${COUNT[rules]} generated logs get the same answers from both`, async () => {
      const seed = Number(process.env['ASSAY_ORACLE_SEED'] ?? Date.now() % 1_000_000);
      const questions = [...generatedQuestions(await logsToMutate(), COUNT[rules], seed)];
      const answers = await officialAnswers(questions, rules);
      expect(answers).toHaveLength(COUNT[rules]);
      const different = questions
        .map((question, index) => ({ question, official: answers[index]!, ours: ours(question, rules) }))
        .filter((each) => comparable(each.official) !== comparable(each.ours))
        .sort((a, b) => a.question.log.length - b.question.log.length);
      const smallest = different[0];
      expect({ seed, differences: different.length, smallest }).toEqual({ seed, differences: 0, smallest: undefined });
    }, 600_000);
  });
});
