import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/**
 * Writes one row of a file of SWE-bench rows, and a suite for it that runs it in `image`; resolves with the suite file.
 * @param {string} dir made if need be
 * @param {{rows: string, instance: string, image: string}} options `rows`: .jsonl or .jsonl.gz
 */
export async function writeSuite(dir, { rows, instance, image }) {
  const row = await rowOf(rows, instance);
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'swe-real.jsonl'), `${row}\n`);
  const file = join(dir, 'swe-real.yaml');
  await writeFile(file, suiteText(instance, image));
  return file;
}

/** The line of an instance, as it stands in the file. */
export async function rowOf(file, instance) {
  const bytes = createReadStream(file);
  const input = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  bytes.on('error', (error) => input.destroy(error));
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (line.includes(instance) && JSON.parse(line).instance_id === instance) return line;
  }
  throw new Error(`${file} has no row ${instance}`);
}

function suiteText(instance, image) {
  return `# One real row of SWE-bench Verified (${instance}), in an image made here. Written by tools/sympy.
schema: assay.suite/1
name: swe-real
title: One row of SWE-bench Verified
dataset:
  name: SWE-bench/SWE-bench_Verified
  revision: 52b72b3
source:
  kind: swebench
  file: swe-real.jsonl
  imageTemplate: ${image}
# No registry has the image that was made here.
unpinned: allow
publish: counts
errorThreshold: 1
sandbox: docker
agent:
  name: oracle
limits:
  wallSeconds: 300
  memoryMb: 2048
  diskMb: 4096
grader:
  timeoutSeconds: 1800
  memoryMb: 2048
`;
}
