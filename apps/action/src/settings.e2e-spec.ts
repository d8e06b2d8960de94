import { runStep, withTempDir } from '@assay/testing';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { DispatcherDouble } from './testdata/dispatcher-double';
import { stepWorld } from './testdata/step-world';

const world = stepWorld();
const { step } = world;

describe('the address', () => {
  test.each([
    ['', "url: expected the dispatcher's https: address, got nothing"],
    ['assay.example', 'url: expected an https: address'],
    ['http://assay.example', 'url: expected an https: address'],
    ['ftp://assay.example', 'url: expected an https: address'],
    ['https://user:hunter2@assay.example', 'url: expected an https: address'],
    ['https://assay.example?x=hunter2', 'url: expected an https: address'],
  ])('%j is refused, and not repeated', async (url, message) => {
    const { exitCode, log } = await runStep(step({ inputs: { url } }));
    expect(exitCode).toBe(1);
    expect(log).toContain(`::error::${message}`);
    expect(log).not.toContain('hunter2');
  });

  test('may have a path and a slash at its end', async () => {
    await runStep(step({ inputs: { url: `${world.dispatcher.url}/assay/` } }));
    expect(world.dispatcher.received[0]?.path).toBe('POST /assay/v1/releases');
  });
});

test.each([
  ['attempts', '0', 'attempts: expected a whole number from 1 to 20, got "0"'],
  ['attempts', '2.5', 'attempts: expected a whole number from 1 to 20, got "2.5"'],
  ['request-timeout-seconds', 'long', 'request-timeout-seconds: expected a number from 0.1 to 300, got "long"'],
  ['retry-delay-seconds', '-1', 'retry-delay-seconds: expected a number from 0 to 60, got "-1"'],
])('the input %s of %j is refused with what was expected', async (name, value, message) => {
  expect((await runStep(step({ inputs: { [name]: value } }))).log).toBe(`::error::${message}\n`);
});

test.each([
  [{ GITHUB_EVENT_NAME: undefined }, 'GITHUB_EVENT_NAME is not set: is this a step of GitHub Actions?'],
  [{ GITHUB_REPOSITORY_ID: 'nine' }, 'GITHUB_REPOSITORY_ID: expected /^\\d+$/, got "nine"'],
  [{ GITHUB_EVENT_PATH: '/nowhere/event.json' }, 'cannot read the event file /nowhere/event.json: ENOENT'],
  [{ GITHUB_OUTPUT: undefined }, 'GITHUB_OUTPUT is not set'],
])('an environment that is no runner is told as such: %j', async (env, message) => {
  const { exitCode, log } = await runStep(step({ env }));
  expect(exitCode).toBe(1);
  expect(log).toContain(`::error::${message}`);
});

test('an event file that tells of no release is told as such', async () => {
  expect((await runStep(step({ payload: { action: 'published' } }))).log).toContain('tells of no release');
});

describe('over HTTPS with a certificate of its own', () => {
  const certificate = () =>
    generate([{ name: 'commonName', value: 'localhost' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });

  test('the dispatcher is trusted by ca-file, and not without', () =>
    withTempDir(async (dir) => {
      const { private: key, cert } = await certificate();
      const file = join(dir, 'ca.pem');
      await writeFile(file, cert);
      const secure = await DispatcherDouble.start({ key, cert });
      const trusted = await runStep(step({ inputs: { url: secure.url, 'ca-file': file } }));
      const refused = await runStep(step({ inputs: { url: secure.url } }));
      await secure.stop();
      expect(trusted.outputs['run-id']).toBe('run-1');
      expect(refused.exitCode).toBe(1);
      expect(refused.log).toMatch(
        /^::error::the certificate of https:\S+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
      );
      expect(refused.log).toContain('the input ca-file names further authorities');
      expect(secure.received).toHaveLength(1);
    }));

  test.each([
    ['is not there', null, /ca-file: cannot read .*ca\.pem: ENOENT/],
    ['holds no certificate', 'hello', /ca-file: expected PEM certificates, found none in .*ca\.pem/],
  ])('a ca-file that %s is refused', (_, text, message) =>
    withTempDir(async (dir) => {
      const file = join(dir, 'ca.pem');
      if (text !== null) await writeFile(file, text);
      expect((await runStep(step({ inputs: { 'ca-file': file } }))).log).toMatch(message);
    }),
  );
});
