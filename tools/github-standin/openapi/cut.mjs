#!/usr/bin/env node
/**
 * Cuts GitHub's published OpenAPI description to the operations that the stand-in serves. How it was made:
 *
 *   cd "$(mktemp -d)" && npm pack @octokit/openapi@23.0.2      # 385 MB unpacked, so it is no dependency
 *   tar xzf octokit-openapi-23.0.2.tgz package/generated/api.github.com.json
 *   node <checkout>/tools/github-standin/openapi/cut.mjs package/generated/api.github.com.json
 *
 * Descriptions, examples and x- extensions go; schemas stay as they are. The package is under the MIT licence.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const REPO = '/repos/{owner}/{repo}';
const KEPT = {
  [`${REPO}/releases`]: ['get', 'post'],
  [`${REPO}/releases/latest`]: ['get'],
  [`${REPO}/releases/tags/{tag}`]: ['get'],
  [`${REPO}/releases/{release_id}`]: ['get', 'patch', 'delete'],
  [`${REPO}/releases/{release_id}/assets`]: ['get', 'post'],
  [`${REPO}/releases/assets/{asset_id}`]: ['get', 'patch', 'delete'],
  [`${REPO}/issues/{issue_number}/comments`]: ['get', 'post'],
  [`${REPO}/git/ref/{ref}`]: ['get'],
  [`${REPO}/git/matching-refs/{ref}`]: ['get'],
  [`${REPO}/git/refs`]: ['post'],
  [`${REPO}/git/refs/{ref}`]: ['patch', 'delete'],
  [`${REPO}/git/tags`]: ['post'],
  [`${REPO}/git/tags/{tag_sha}`]: ['get'],
  '/app/installations/{installation_id}/access_tokens': ['post'],
};
const DROPPED = new Set(['description', 'summary', 'example', 'examples', 'externalDocs', 'tags']);

const [source] = process.argv.slice(2);
if (source === undefined) {
  console.error('usage: node tools/github-standin/openapi/cut.mjs FILE  (api.github.com.json of @octokit/openapi)');
  process.exit(2);
}
const full = JSON.parse(readFileSync(source, 'utf8'));
const version = full.info.version;

const paths = Object.fromEntries(
  Object.entries(KEPT).map(([path, methods]) => {
    const kept = methods.map((method) => [method, full.paths[path][method]]);
    if (kept.some(([, operation]) => operation === undefined)) throw new Error(`${path} has changed`);
    return [path, Object.fromEntries(kept)];
  }),
);

/** Drops what checks nothing; a property that happens to be called `description` stays. */
function bare(value, underProperties = false) {
  if (Array.isArray(value)) return value.map((item) => bare(item));
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([key]) => underProperties || !(DROPPED.has(key) || key.startsWith('x-')));
  return Object.fromEntries(kept.map(([key, member]) => [key, bare(member, key === 'properties')]));
}

const components = {};
function follow(value) {
  if (Array.isArray(value)) value.forEach(follow);
  if (value === null || typeof value !== 'object') return;
  if (typeof value.$ref === 'string') {
    const [, , kind, name] = value.$ref.split('/');
    components[kind] ??= {};
    if (components[kind][name] === undefined) {
      components[kind][name] = bare(full.components[kind][name]);
      follow(components[kind][name]);
    }
  }
  Object.values(value).forEach(follow);
}

const cut = { openapi: full.openapi, info: { title: 'GitHub REST API, cut', version }, paths: bare(paths), components };
follow(cut.paths);
components.schemas['basic-error'] ??= bare(full.components.schemas['basic-error']);
const target = fileURLToPath(new URL(`./github-${version}.json`, import.meta.url));
writeFileSync(target, `${JSON.stringify(cut, null, 1)}\n`);
console.log(`${target}: ${Object.keys(paths).length} paths, ${Object.keys(components.schemas).length} schemas`);
