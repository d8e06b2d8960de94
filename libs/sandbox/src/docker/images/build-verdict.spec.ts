import { buildFailure } from './build-verdict';

describe('whose fault a failed build is', () => {
  test.each([
    ['dockerfile parse error line 3: unknown instruction: FOO', ''],
    ['COPY failed: file not found in build context', ''],
    ["The command '/bin/sh -c exit 3' returned a non-zero code: 3", 'make: *** [all] Error 3'],
  ])('%s: the task', (message, tail) => {
    expect(buildFailure(new Error(message), tail)).toMatchObject({ blame: 'task', code: 'image_build_failed' });
  });

  test.each([
    ['toomanyrequests: You have reached your pull rate limit', '', 'image_build_failed'],
    ['The command returned a non-zero code: 100', 'Could not resolve host: registry.example', 'image_build_failed'],
    ['The command returned a non-zero code: 1', 'cp: error writing: No space left on device', 'disk_full'],
    ['write /var/lib/docker/tmp/x: no space left on device', '', 'disk_full'],
    ['something that nobody has seen before', '', 'image_build_failed'],
    ['socket hang up', '', 'image_build_failed'],
  ])('%s (%s): ours', (message, tail, code) => {
    expect(buildFailure(new Error(message), tail)).toMatchObject({ blame: 'infra', code });
  });
});
