import { notificationRetryMs } from './index';

describe('a notification that failed is tried again', () => {
  test('after waits that double up to an hour', () => {
    const waits = [1, 2, 3, 9, 10, 99].map((tryNumber) => notificationRetryMs(tryNumber, 10_000, null));
    expect(waits).toEqual([10_000, 20_000, 40_000, 2_560_000, 3_600_000, 3_600_000]);
  });

  test('not before the target wants to hear of it, but within the hour', () => {
    expect(notificationRetryMs(1, 10_000, 120_000)).toBe(120_000);
    expect(notificationRetryMs(3, 10_000, 1_000)).toBe(40_000);
    expect(notificationRetryMs(1, 10_000, 86_400_000)).toBe(3_600_000);
  });
});
