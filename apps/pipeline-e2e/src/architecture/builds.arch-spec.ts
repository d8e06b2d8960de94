import { PROJECT_ROOT } from '@assay/testing';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

// The build digest covers all that is built (libs/service-kit): code that only tests load must not change it, nor be
// shipped. Folders that are left out: nx.json, and `args` of a project's build.

const EMPTY_MODULE =
  /^"use strict";\s*Object\.defineProperty\(exports, "__esModule", \{\s*value: true\s*\}\);\s*(\/\/.*)?\s*$/;

/** The `dist` of every project that has one. */
function builds(): string[] {
  return ['apps', 'libs'].flatMap((group) =>
    readdirSync(join(PROJECT_ROOT, group))
      .map((name) => join(PROJECT_ROOT, group, name, 'dist'))
      .filter((dist) => existsSync(dist)),
  );
}

/** Files that do something: what held types alone is an empty module, which nobody loads. */
function filesOf(dist: string): string[] {
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(dist, name))
    .filter(
      (file) =>
        !EMPTY_MODULE.test(
          readFileSync(file, 'utf8')
            .replaceAll(/\/\*[^]*?\*\//g, '')
            .trim(),
        ),
    );
}

/** Files of the same build that a built file loads. */
function loadedBy(file: string): string[] {
  const named = readFileSync(file, 'utf8').matchAll(/\b(?:require|import)\("(\.[^"]+)"\)/g);
  return [...named].flatMap(([, name = '']) =>
    ['', '.js', '/index.js'].map((end) => join(dirname(file), name + end)).filter((path) => /\.js$/.test(path)),
  );
}

/** Built files that neither main.js nor index.js loads, by whatever way. */
function unreached(dist: string): string[] {
  const files = new Set(filesOf(dist));
  const seen = new Set<string>();
  const next = ['main.js', 'index.js'].map((name) => join(dist, name));
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    if (seen.has(file) || !files.has(file)) continue;
    seen.add(file);
    next.push(...loadedBy(file));
  }
  return [...files].filter((file) => !seen.has(file)).map((file) => relative(PROJECT_ROOT, file));
}

test('every project but the two for tests alone is built', () => {
  const projects = ['apps', 'libs'].flatMap((group) =>
    readdirSync(join(PROJECT_ROOT, group))
      .filter((name) => existsSync(join(PROJECT_ROOT, group, name, 'project.json')))
      .map((name) => join(group, name)),
  );
  const built = new Set(builds().map((dist) => relative(PROJECT_ROOT, dirname(dist))));
  expect(projects.filter((project) => !built.has(project)).sort()).toEqual(['apps/pipeline-e2e', 'libs/testing']);
});

test('nothing is built that only tests load', () => {
  expect(builds().flatMap(unreached)).toEqual([]);
});
