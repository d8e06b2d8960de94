import { commandOf } from './prompts';

const block = (info: string, body: string) => `A thought.\n\n\`\`\`${info}\n${body}\n\`\`\`\n`;

test.each([
  ['bash', block('bash', 'ls -l'), 'ls -l'],
  ['sh', block('sh', 'ls'), 'ls'],
  ['several lines', block('bash', 'cd x\nmake'), 'cd x\nmake'],
  [
    'a here-document with a fence inside a line',
    block('bash', "cat > x <<'E'\na ``` b\nE"),
    "cat > x <<'E'\na ``` b\nE",
  ],
  ['another language beside it', `${block('json', '{}')}${block('bash', 'ls')}`, 'ls'],
  ['blanks after the fence', '```bash  \nls\n```  ', 'ls'],
])('the command is the one bash block (%s)', (_name, reply, command) => {
  expect(commandOf(reply)).toBe(command);
});

test.each([
  ['no block', 'I am done.'],
  ['two', `${block('bash', 'a')}${block('bash', 'b')}`],
  ['an empty one', block('bash', '  ')],
  ['one that does not end', '```bash\nls\n'],
  ['only another language', block('python', 'print()')],
  ['nothing', ''],
])('there is no command where there is %s', (_name, reply) => {
  expect(commandOf(reply)).toBeNull();
});
