import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BuildDigest } from '@assay/contracts';

let known: BuildDigest | null = null;

/**
 * What code this process runs: the sha256 over names and contents of dist and bin in apps/* and libs/* (without source
 * maps), and package-lock.json. What runs unbuilt lies in bin, e.g. the forwarder in the sidecar of a sealed sandbox.
 * ASSAY_BUILD_DIGEST replaces it: images, which hold one service only, are given that of the whole build. Computed once
 * per process, so a later build does not change what runs.
 */
export function buildDigest(env: NodeJS.ProcessEnv = process.env): BuildDigest {
  const given = env['ASSAY_BUILD_DIGEST'] ?? '';
  if (given !== '') return BuildDigest.parse(given);
  known ??= digestOf(workspaceRoot(__dirname));
  return known;
}

/** The digest of the build that lies in a workspace. */
export function digestOf(root: string): BuildDigest {
  const hash = createHash('sha256');
  for (const file of builtFiles(root)) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return BuildDigest.parse(hash.digest('hex'));
}

function builtFiles(root: string): string[] {
  const projects = ['apps', 'libs'].flatMap((group) =>
    existsSync(join(root, group)) ? readdirSync(join(root, group)).map((name) => join(group, name)) : [],
  );
  const folders = projects.flatMap((project) => [join(project, 'bin'), join(project, 'dist')]);
  const files = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => filesBelow(root, folder));
  return [...files.filter((file) => !file.endsWith('.map')).sort(), 'package-lock.json'];
}

function filesBelow(root: string, dir: string): string[] {
  return readdirSync(join(root, dir), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

function workspaceRoot(from: string): string {
  for (let at = from; ; at = dirname(at)) {
    if (existsSync(join(at, 'package-lock.json'))) return at;
    if (at === dirname(at)) throw new Error(`no package-lock.json above ${from}: set ASSAY_BUILD_DIGEST`);
  }
}
