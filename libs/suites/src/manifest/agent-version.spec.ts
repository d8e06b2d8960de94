import { chooseAgent, EVALUATED_VERSION } from './choose-agent';

const KNOWN = [
  { name: 'mini', version: '1.0.0', integrity: null },
  { name: 'qwen-code', version: '0.24.4', integrity: null, packaged: true },
];
const suite = (name: string, version?: string) => ({
  kind: 'benchmark' as const,
  agent: { name, options: {}, ...(version === undefined ? {} : { version }) },
});
const choose = (of: ReturnType<typeof suite>, packageVersion: string | null) =>
  chooseAgent(of, undefined, KNOWN, { ref: 'main', packageVersion });

test('an agent of this build has one version: a suite that wants another is refused', () => {
  expect(choose(suite('mini', '1.0.0'), null)).toMatchObject({ version: '1.0.0' });
  expect(() => choose(suite('mini', '2.0.0'), null)).toThrow(
    expect.objectContaining({
      blame: 'task',
      code: 'agent_version',
      details: { name: 'mini', wanted: '2.0.0', version: '1.0.0' },
    }) as Error,
  );
});

test('a suite that measures the evaluated version needs a ref that names one', () => {
  expect(choose(suite('qwen-code', EVALUATED_VERSION), '0.25.0')).toMatchObject({ version: '0.25.0' });
  expect(() => choose(suite('qwen-code', EVALUATED_VERSION), null)).toThrow(
    expect.objectContaining({
      blame: 'task',
      code: 'agent_version',
      details: { name: 'qwen-code', ref: 'main' },
    }) as Error,
  );
});
