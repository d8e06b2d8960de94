/**
 * Lints texts as if they stood in files of the project. Reads `[{file, code}]` as JSON from stdin, writes one list of
 * `{ruleId, message}` for each to stdout.
 */
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';

const eslint = new ESLint();
const answers = [];
for (const { file, code } of JSON.parse(await text(process.stdin))) {
  const [result] = await eslint.lintText(code, { filePath: file });
  answers.push((result?.messages ?? []).map(({ ruleId, message }) => ({ ruleId, message })));
}
process.stdout.write(JSON.stringify(answers));
