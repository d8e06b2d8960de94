import fc from 'fast-check';
import { lineOfKey } from './toml-lines';

const TEXT = `# a comment = 1
schema_version = "1.1"
text = """
agent = 1
"""

[agent]
timeout_sec = 5 # soon
options.deep = 1

[environment]
"quoted key" = 1
env = { A = 1 }

[[steps]]
name = "one"

[[steps]]
name = "two"

[steps.agent]
user = "x"
`;

test.each([
  [['schema_version'], 2],
  [['text'], 3],
  [['agent'], 7],
  [['agent', 'timeout_sec'], 8],
  [['agent', 'options', 'deep'], 9],
  [['environment', 'quoted key'], 12],
  [['environment', 'env', 'A'], 13],
  [['environment', 'absent'], 11],
  [['steps'], 15],
  [['steps', 0, 'name'], 16],
  [['steps', 1, 'name'], 19],
  [['nowhere'], null],
  [[], null],
])('%j stands in line %j', (path, line) => {
  expect(lineOfKey(TEXT, path)).toBe(line);
});

test('whatever the text, it is a line of it or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('[', ']', '=', '.', 'a', '"', '\n', "'") }), (text) => {
      const line = lineOfKey(text, ['a', 'a']);
      expect(line === null || (line >= 1 && line <= text.split('\n').length)).toBe(true);
    }),
  );
});
