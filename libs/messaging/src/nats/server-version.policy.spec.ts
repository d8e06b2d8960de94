import { checkServerVersion } from './server-version.policy';

test.each(['2.10.4', '2.10.27', '2.11.0', '2.15.1', '3.0.0', '2.12.0-RC.1'])('%s is as wanted', (version) => {
  expect(checkServerVersion(version)).toBeNull();
});

test.each(['2.9.10', '2.9.25', '2.10.0', '2.10.3'])('%s is accepted with a warning', (version) => {
  expect(checkServerVersion(version)).toContain('older than 2.10.4');
});

test.each(['2.9.9', '2.8.4', '1.4.1', '0.0.0', 'nonsense'])('%s is refused', (version) => {
  expect(() => checkServerVersion(version)).toThrow(expect.objectContaining({ code: 'nats_too_old' }) as Error);
});
