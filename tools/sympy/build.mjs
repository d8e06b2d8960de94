#!/usr/bin/env node
/**
 * Makes the image of one real SWE-bench Verified row, sympy__sympy-20590, where the official image cannot be pulled:
 * Python 3.11 from the base image, sympy 1.7 and mpmath from Python's registry by pip. Needs a Docker engine, pip, git
 * and tar. Nothing of sympy stays in this checkout.
 *
 *   node tools/sympy/build.mjs [--tag assay/sympy-20590:local] [--base IMAGE] [--force]
 *                              [--suite DIR --rows verified.jsonl.gz]
 *
 * `--suite` also writes the row and a suite file for it into DIR, so that the row can be submitted.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Docker from 'dockerode';
import { run } from '../embedded/processes.mjs';
import { hasImage } from '../images/base.mjs';
import { dockerBase } from '../images/choose.mjs';
import { writeSuite } from './suite.mjs';

export const SYMPY_TAG = 'assay/sympy-20590:local';
export const SYMPY_INSTANCE = 'sympy__sympy-20590';

/** The row's base_commit. */
const BASE_COMMIT = 'cffd4e0f86fefd4802349a9f9b19ed70934ea354';
const SOURCE = 'sympy==1.7';
/** sympy 1.7 asks for 0.19 or newer; this is the last series that it works with. */
const LIBRARY = 'mpmath==1.3.0';
const HERE = dirname(fileURLToPath(import.meta.url));

/**
 * Builds the image if the engine does not have it; resolves with its id.
 * @param {Docker} docker
 * @param {{tag?: string, base?: string, force?: boolean, note?: (line: string) => void}} options
 */
export async function buildSympy(docker, { tag = SYMPY_TAG, base, force = false, note = () => {} } = {}) {
  if (!force && (await hasImage(docker, tag))) return (await docker.getImage(tag).inspect()).Id;
  const chosen = await dockerBase({ configured: base ?? process.env.ASSAY_BASE_IMAGE, note });
  if (chosen.image === undefined) throw new Error(chosen.missing);
  const dir = await mkdtemp(join(tmpdir(), 'assay-sympy-'));
  try {
    await cp(join(HERE, 'image'), dir, { recursive: true });
    await download(dir, note);
    note(`docker build from ${chosen.image}`);
    await build(docker, dir, { tag, base: chosen.image });
    return (await docker.getImage(tag).inspect()).Id;
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Source and library into the build context, so that the build itself needs no network. */
async function download(dir, note) {
  const pip = (...args) =>
    must('python3', ['-m', 'pip', '--disable-pip-version-check', 'download', '--no-deps', ...args]);
  note(`pip download ${SOURCE}`);
  await pip('--no-binary', 'sympy', '--dest', join(dir, 'source'), SOURCE);
  note(`pip download ${LIBRARY}`);
  await pip('--only-binary', 'mpmath', '--dest', join(dir, 'wheels'), LIBRARY);
  const [archive] = await readdir(join(dir, 'source'));
  await mkdir(join(dir, 'testbed'));
  await must('tar', ['-xzf', join(dir, 'source', archive), '-C', join(dir, 'testbed'), '--strip-components=1']);
  await rm(join(dir, 'source'), { recursive: true });
}

async function build(docker, dir, { tag, base }) {
  const tar = spawn('tar', ['--numeric-owner', '--owner=0', '--group=0', '-C', dir, '-cf', '-', '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const packed = once(tar, 'exit');
  const stream = await docker.buildImage(tar.stdout, {
    t: tag,
    buildargs: { BASE_IMAGE: base, BASE_COMMIT },
    networkmode: 'none',
    forcerm: true,
  });
  const events = await new Promise((resolve, reject) =>
    docker.modem.followProgress(stream, (error, all) => (error ? reject(error) : resolve(all))),
  );
  const [code] = await packed;
  if (code !== 0) throw new Error(`tar ended with exit ${code}`);
  const failed = events.find((event) => event.error !== undefined);
  if (failed !== undefined)
    throw new Error(`${failed.error}\n${events.map(({ stream: text }) => text ?? '').join('')}`);
}

async function must(command, args) {
  const { code, output } = await run(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed with exit ${code}:\n${output.slice(-4_000)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      tag: { type: 'string', default: SYMPY_TAG },
      base: { type: 'string' },
      force: { type: 'boolean' },
      suite: { type: 'string' },
      rows: { type: 'string' },
    },
  });
  const say = (line) => process.stdout.write(`${line}\n`);
  try {
    const { tag, base, force } = values;
    say(`${tag} is ${await buildSympy(new Docker(), { tag, base, force, note: say })}`);
    if (values.suite !== undefined) {
      if (values.rows === undefined)
        throw new Error('--suite needs --rows, the file with the rows of SWE-bench Verified');
      say(`wrote ${await writeSuite(values.suite, { rows: values.rows, instance: SYMPY_INSTANCE, image: tag })}`);
    }
  } catch (error) {
    process.stderr.write(`cannot make the image of ${SYMPY_INSTANCE}: ${error.message}\n`);
    process.exitCode = 1;
  }
}
