/** For `node --require`: runs the project's TypeScript as it stands, for tests that need a process of their own. */
const { existsSync, readFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const { transformSync } = require('@swc/core');

function workspaceRoot() {
  let at = __dirname;
  while (!existsSync(join(at, '.swcrc'))) at = dirname(at);
  return at;
}

const root = workspaceRoot();
const swcrc = JSON.parse(readFileSync(join(root, '.swcrc'), 'utf8'));
delete swcrc.$schema;

Module._extensions['.ts'] = (module, filename) => {
  const source = readFileSync(filename, 'utf8');
  const { code } = transformSync(source, { ...swcrc, swcrc: false, filename, sourceMaps: 'inline' });
  module._compile(code, filename);
};

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const own = /^@assay\/([a-z-]+)$/.exec(request);
  return resolve.call(this, own === null ? request : join(root, 'libs', own[1], 'src/index.ts'), ...rest);
};
