import { UsageError } from '../output';
import { upOptionsOf, type RawUpOptions } from './up-options';

const raw = (over: Partial<RawUpOptions> = {}): RawUpOptions => ({
  port: '8080',
  executors: '1',
  slots: '4',
  timeScale: '0.1',
  ...over,
});

test('without options the deployment stays, chooses its sandbox and runs the demo', () => {
  expect(upOptionsOf(raw())).toEqual({
    once: false,
    sandbox: null,
    suite: null,
    agent: null,
    policy: null,
    jsonFile: null,
    port: 8080,
    executors: 1,
    slots: 4,
    timeScale: 0.1,
    stateDir: null,
    tls: false,
  });
});

test.each([
  [{ sandbox: 'vm' }, '--sandbox: expected docker or process, got "vm"'],
  [{ port: '70000' }, '--port: expected a whole number from 0 to 65535, got "70000"'],
  [{ port: '' }, '--port: expected a whole number from 0 to 65535, got ""'],
  [{ executors: '0' }, '--executors: expected a whole number from 1 to 64, got "0"'],
  [{ slots: '1.5' }, '--slots: expected a whole number from 1 to 64, got "1.5"'],
  [{ timeScale: '2' }, '--time-scale: expected a number from 0.001 to 1, got "2"'],
])('%j is refused with the option, its value and what was expected', (over, message) => {
  expect(() => upOptionsOf(raw(over))).toThrow(new UsageError(message));
});
