#!/usr/bin/env node
/**
 * Makes what docker-compose.yml mounts and reads: keys below .assay/compose/secrets, readable only by the services'
 * user, a folder that the executors share with the engine's host, and .assay/compose/env with the settings. Keys that are there are kept.
 *
 *   node tools/compose/secrets.mjs
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../install/ensure.mjs';

const SERVICE_USER = 10001;

export const composeDir = join(root, '.assay/compose');

/** @param {Record<string, string>} settings written into the env file beside the defaults */
export function prepareSecrets(settings = {}) {
  const dir = join(composeDir, 'secrets');
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  const asRoot = process.getuid?.() === 0;
  const [uid, gid] = asRoot ? [SERVICE_USER, SERVICE_USER] : [process.getuid(), process.getgid()];
  // Sandboxes mount parts of it, so the engine and the executors must see it under one path.
  const hostDir = join(composeDir, 'host');
  mkdirSync(hostDir, { recursive: true, mode: 0o755 });
  if (asRoot) chownSync(hostDir, uid, gid);
  const keys = {};
  for (const name of ['api-token', 'github-token', 'model-key']) {
    const file = join(dir, name);
    if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o400 });
    if (asRoot) chownSync(file, uid, gid);
    keys[name] = readFileSync(file, 'utf8');
  }
  makeSigningKey(join(dir, 'signing-key'), (file) => {
    if (asRoot) chownSync(file, uid, gid);
  });
  mkdirSync(join(composeDir, 'data'), { recursive: true });
  const socket = '/var/run/docker.sock';
  const env = {
    ASSAY_UID: uid,
    ASSAY_GID: gid,
    ASSAY_HOST_DIR: hostDir,
    DOCKER_GID: existsSync(socket) ? statSync(socket).gid : 999,
    GITHUB_STANDIN_TOKEN: keys['github-token'],
    MODEL_STANDIN_KEY: keys['model-key'],
    ...settings,
  };
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(composeDir, 'env'), lines.join(''), { mode: 0o600 });
  return { env, keys };
}

/** The publisher signs with the private half; the public one lies beside the folder of secrets, for everybody. */
function makeSigningKey(file, own) {
  if (!existsSync(file)) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    writeFileSync(join(composeDir, 'signing-key.pub'), publicKey);
    writeFileSync(file, privateKey, { mode: 0o400 });
  }
  own(file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  prepareSecrets();
  process.stdout.write(`${join(composeDir, 'env')} and secrets/ are there\n`);
}
