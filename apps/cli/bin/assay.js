#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const built = join(__dirname, '../dist/main.js');
if (existsSync(built)) {
  require(built);
} else {
  process.stderr.write('not built yet: run `npm run build` (or `npm start`) first\n');
  process.exitCode = 1;
}
