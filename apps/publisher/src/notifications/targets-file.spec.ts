import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlamedError } from '@assay/failures';
import { aSample } from './sample';
import { type CheckedTargets, loadTargets } from './targets-file';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-targets-'));
  put('secret', `whsec_${Buffer.alloc(24, 1).toString('base64')}`);
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

function put(name: string, text: string): void {
  writeFileSync(join(dir, name), text);
  chmodSync(join(dir, name), 0o600);
}

function load(text: string): CheckedTargets {
  put('targets.yaml', text);
  return loadTargets(join(dir, 'targets.yaml'));
}

function refusal(text: string): string {
  try {
    load(text);
  } catch (error) {
    if (!(error instanceof BlamedError)) throw error;
    expect(error.code).toBe('notifications_invalid');
    return error.message;
  }
  throw new Error('it was taken');
}

const webhook = (over = ''): string => `
schema: assay.notifications/1
webhooks:
  - name: ops
    url: https://hooks.example/assay
    secretFile: secret
    events: [run.ended, run.quarantined]
${over}`;
const issue = (over = ''): string => `
schema: assay.notifications/1
issues:
  - name: tracker
    repository: acme/agent
    issue: 12
    events: [run.quarantined]
${over}`;

test('targets are taken with the paths of their files beside the file itself', () => {
  const { webhooks, issues } = load(`${webhook()}${issue().split('\n').slice(2).join('\n')}`);
  expect(webhooks).toMatchObject([{ name: 'ops', secretFile: join(dir, 'secret') }]);
  expect(issues).toMatchObject([{ name: 'tracker', repository: 'acme/agent', issue: 12 }]);
  const text = issues[0]?.render(aSample('run.quarantined', 'full')) ?? '';
  expect(text).toContain('- release owner/name v1.0.0\n');
  expect(text).toContain('- too many "errors" (too\\_many\\_errors)'.replaceAll('\\_', '_'));
  expect(issues[0]?.render(aSample('run.quarantined', 'bare'))).not.toContain('release');
});

test('every problem of the file is told at once, with its line and column', () => {
  const message = refusal(`
schema: assay.notifications/1
webhooks:
  - name: Ops!
    url: http://hooks.example/assay
    secretFile: secret
    events: []
    colour: red
`);
  for (const place of ['4:11', '5:10', '7:13', '8:5']) expect(message).toContain(place);
  expect(message).toContain('expected https://…, or http:// on localhost');
});

test.each([
  ['https://user:pw@hooks.example/', 'without user name and password'],
  ['http://10.0.0.1/', 'http:// on localhost'],
  ['ftp://hooks.example/', 'expected https://'],
  ['nowhere', 'expected https://'],
])('the address %s is refused', (url, expected) => {
  expect(refusal(webhook().replace('https://hooks.example/assay', url))).toContain(expected);
});

test.each(['http://localhost:8080/x', 'http://127.0.0.1/x', 'http://[::1]:9/x', 'https://10.0.0.1/x'])(
  'the address %s is taken: whoever writes the file decides',
  (url) => {
    expect(load(webhook().replace('https://hooks.example/assay', url)).webhooks[0]?.url).toBe(url);
  },
);

test('two targets of one name are refused where the second stands', () => {
  expect(refusal(`${webhook()}${issue('').replace('tracker', 'ops').split('\n').slice(2).join('\n')}`)).toContain(
    'expected a name that no other target has',
  );
});

test.each([
  ['short', 'whsec_AAAA', 'expected whsec_ and 24 to 64 bytes as base64'],
  ['of no such scheme', 'canary-plain-secret', 'expected whsec_'],
  ['empty', '', 'is empty'],
])('a secret that is %s is refused, and not shown', (_how, secret, expected) => {
  put('secret', secret);
  const message = refusal(webhook());
  expect(message).toContain('secretFile of ops');
  expect(message).toContain(expected);
  expect(message).not.toMatch(/canary|AAAA/);
});

test('a secret file that others can read is refused', () => {
  chmodSync(join(dir, 'secret'), 0o644);
  expect(refusal(webhook())).toContain('has mode 0644');
});

test.each([
  ['{"text": "{{#message}}"}', 'Unclosed section "message"'],
  ['{"text": "{{mesage}}"}', 'it names mesage: expected one of'],
  ['{"text": {{message}}}', 'what it makes of run.ended is no JSON'],
  ['{"text": "{{{message}}}"}', 'is no JSON'],
  ['{{> other}}', 'it includes other'],
  ['', 'it says nothing of run.ended'],
])('the template %s is refused at the start: %s', (template, expected) => {
  put('t.mustache', template);
  expect(refusal(webhook('    template: t.mustache\n'))).toMatch(new RegExp(`template of ops: .*`));
  expect(refusal(webhook('    template: t.mustache\n'))).toContain(expected);
});

test('a template that is not there is named', () => {
  expect(refusal(issue('    template: nowhere.mustache\n'))).toContain('nowhere.mustache');
});

test('a template of an issue writes foreign text as plain text', () => {
  put('t.mustache', 'Look: {{message}} {{#run.release}}{{repository}}{{/run.release}}');
  const { issues } = load(issue('    template: t.mustache\n'));
  const spiteful = { ...aSample('run.quarantined', 'full'), message: '@everyone <img src=x> #1' };
  expect(issues[0]?.render(spiteful)).toBe('Look: &#64;everyone \\<img src=x\\> &#35;1 owner/name');
});
