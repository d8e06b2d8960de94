import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localAddress, localCertificate, localTokenFile } from './local-deployment';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-local-'));
  process.env['ASSAY_STATE_DIR'] = dir;
});
afterEach(() => {
  Reflect.deleteProperty(process.env, 'ASSAY_STATE_DIR');
  rmSync(dir, { recursive: true });
});

test('a folder where nothing runs has the default address and no certificate', () => {
  expect([localAddress(), localCertificate('https://localhost:8080')]).toEqual(['http://127.0.0.1:8080', null]);
  writeFileSync(join(dir, 'address'), '\n');
  expect(localAddress()).toBe('http://127.0.0.1:8080');
});

test('a deployment tells its address, token and certificate by its folder', () => {
  writeFileSync(join(dir, 'address'), 'https://127.0.0.1:9443\n');
  mkdirSync(join(dir, 'tls'));
  writeFileSync(join(dir, 'tls/cert.pem'), 'pem');
  expect([localAddress(), localCertificate('https://[::1]:9443'), localTokenFile()]).toEqual([
    'https://127.0.0.1:9443',
    join(dir, 'tls/cert.pem'),
    join(dir, 'secrets/api-token'),
  ]);
});

test.each(['https://api.github.com', 'http://localhost:8080', 'https://127.0.0.1.example', 'not an address'])(
  'its certificate is not for %s',
  (url) => {
    mkdirSync(join(dir, 'tls'));
    writeFileSync(join(dir, 'tls/cert.pem'), 'pem');
    expect(localCertificate(url)).toBeNull();
  },
);

test('without the variable it is the folder of the checkout', () => {
  process.env['ASSAY_STATE_DIR'] = '';
  expect(localTokenFile()).toMatch(/\/\.assay\/secrets\/api-token$/);
});
