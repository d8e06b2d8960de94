import { command } from '../adapters/command/command.agent';
import { endOf } from './conclude';
import type { Ending } from './launch';
import { StreamRecord } from './stream-record';

const ending = (over: Partial<Ending> = {}): Ending => ({
  exitCode: null,
  stopped: null,
  outOfMemory: false,
  tail: 'last words',
  launched: true,
  ...over,
});
const end = (over: Partial<Ending>) =>
  endOf(command, ending(over), { record: new StreamRecord(undefined), layer: null, turns: null });

test.each<[string, Partial<Ending>, object]>([
  ['killed for memory', { outOfMemory: true }, { blame: 'agent', code: 'agent_out_of_memory' }],
  ['killed by somebody', {}, { blame: 'agent', code: 'agent_crashed' }],
  ['never begun', { exitCode: 126, launched: false }, { blame: 'infra', code: 'agent_not_started' }],
])('an agent that was %s', (_name, over, crash) => {
  expect(end(over)).toMatchObject({ limit: null, crash });
});

test('what we did comes before what the sandbox saw: one that is out of memory when its time is over met its limit', () => {
  expect(end({ stopped: 'time', outOfMemory: true })).toEqual({ limit: 'time', crash: null });
});
