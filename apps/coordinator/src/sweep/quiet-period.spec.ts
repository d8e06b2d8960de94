import { QuietPeriod } from './quiet-period';

const LEASE_MS = 90_000;
let now: number;
let quiet: QuietPeriod;

beforeEach(() => {
  now = 1_000_000;
  quiet = new QuietPeriod(LEASE_MS, () => now);
});

/** Time goes by while the process runs: it is noticed every ten seconds. */
function run(ms: number): void {
  for (let left = ms; left > 0; left -= 10_000) {
    now += Math.min(left, 10_000);
    quiet.notice();
  }
}

test('lasts for a full lease after the start', () => {
  run(LEASE_MS - 1);
  expect(quiet.isOver).toBe(false);
  run(1);
  expect(quiet.isOver).toBe(true);
});

test('begins anew, for a full lease, when heartbeats could not be recorded', () => {
  run(LEASE_MS);
  quiet.extend();
  run(LEASE_MS - 1);
  expect(quiet.isOver).toBe(false);
  run(1);
  expect(quiet.isOver).toBe(true);
});

test('begins anew when the process itself stood still for more than half a lease, whoever asks first after it', () => {
  run(LEASE_MS);
  now += LEASE_MS / 2 + 1;
  expect(quiet.isOver).toBe(false);
  run(LEASE_MS);
  expect(quiet.isOver).toBe(true);
});

test('does not begin for a short stall: no lease can lapse in it that was kept alive before', () => {
  run(LEASE_MS);
  now += LEASE_MS / 2 - 1;
  expect(quiet.isOver).toBe(true);
});
