import { ExitError } from '../output';
import { exitCodeOfSignal, Stopper } from './stopper';

let stopper: Stopper;
beforeEach(() => {
  stopper = new Stopper();
  stopper.listen();
});
afterEach(() => {
  stopper.end();
});

const reason = (): unknown => stopper.signal.reason;

test.each<[NodeJS.Signals, number]>([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])('%s stops with exit code %i and no message', (signal, code) => {
  expect(stopper.signal.aborted).toBe(false);
  process.emit(signal, signal);
  expect(reason()).toEqual(new ExitError(code));
  expect(exitCodeOfSignal(signal)).toBe(code);
});

test('only the first reason counts', () => {
  stopper.stop(new ExitError(1, 'grader ended unasked'));
  process.emit('SIGTERM', 'SIGTERM');
  expect(reason()).toEqual(new ExitError(1, 'grader ended unasked'));
});

test('a reader that is gone stops as SIGPIPE would', () => {
  process.stdout.emit('error', new Error('write EPIPE'));
  expect(reason()).toEqual(new ExitError(141));
});

test('an error that nobody caught stops in order, with its message', () => {
  (process as NodeJS.EventEmitter).emit('uncaughtException', new Error('no such thing'));
  expect(reason()).toEqual(new ExitError(1, 'no such thing'));
});

test('after its end it hears nothing', () => {
  const before = process.listenerCount('SIGTERM');
  stopper.end();
  expect(process.listenerCount('SIGTERM')).toBe(before - 1);
  expect(stopper.signal.aborted).toBe(false);
});
