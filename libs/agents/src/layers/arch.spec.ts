import { archOf } from './arch';

test('agents run on the two processors that their packages are made for, and on no other', () => {
  expect([archOf('x64'), archOf('arm64')]).toEqual(['x64', 'arm64']);
  expect(() => archOf('s390x')).toThrow(
    expect.objectContaining({ blame: 'infra', code: 'agent_arch_unsupported', details: { arch: 's390x' } }) as Error,
  );
});
