import { agentNamed, CLI_ADAPTERS, KNOWN_AGENTS, resolveAgent } from './registry';

const NAMES = [
  'claude-code',
  'codex',
  'command',
  'gemini-cli',
  'mini',
  'mini-swe-agent',
  'nop',
  'opencode',
  'oracle',
  'probe',
  'qwen-code',
];

test('the agents there are, each with the version that is taken where nobody names one', () => {
  expect(KNOWN_AGENTS.map(({ name }) => name).sort()).toEqual(NAMES);
  for (const { name, version } of KNOWN_AGENTS) {
    expect(agentNamed(name).name).toBe(name);
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  }
});

test('an agent that there is not is refused with the names of those there are', () => {
  expect(() => agentNamed('gpt')).toThrow(/no agent gpt \(known: .*mini, nop, oracle.*qwen-code/);
});

test('one that is part of this build has no integrity and no other version', async () => {
  expect(await resolveAgent('oracle')).toEqual({ name: 'oracle', version: '1.0.0', integrity: null });
  expect(await resolveAgent('command', '1.0.0')).toMatchObject({ integrity: null });
  await expect(resolveAgent('mini', '2.0.0')).rejects.toMatchObject({ blame: 'task', code: 'agent_version_unknown' });
});

test('packages of npm are named exactly, the agent itself first, and take no range', () => {
  for (const { package: pack } of CLI_ADAPTERS) {
    if (pack?.registry !== 'npm') continue;
    const parts = pack.parts(pack.version, 'x64');
    expect(parts[0]?.version).toBe(pack.version);
    expect(new Set(parts.map(({ dir }) => dir)).size).toBe(parts.length);
    for (const { version } of parts) expect(version).toMatch(/^\d+\.\d+\.\d+(-linux-x64)?$/);
  }
});

test('of turns every agent knows by itself, but codex', () => {
  const byCalls = KNOWN_AGENTS.filter(({ name }) => agentNamed(name).turnsByCalls === true);
  expect(byCalls.map(({ name }) => name)).toEqual(['codex']);
});
