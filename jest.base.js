const { readFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const swcrc = JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8'));

/** Packages that ship ES modules only: Jest loads CommonJS, so they are transformed like our own sources. */
const esmOnly = [
  '@octokit',
  'universal-user-agent',
  'universal-github-app-jwt',
  'before-after-hook',
  'json-with-bigint',
  'jose',
  'content-type',
  'smol-toml',
  'hyparquet',
  'hyparquet-compressors',
  'hysnappy',
  'fzstd',
  // CommonJS, but it imports node:http dynamically, which Jest refuses untransformed.
  '@opentelemetry/otlp-exporter-base',
];

const hasServers = (dir) =>
  readdirSync(join(dir, 'src'), { recursive: true }).some((file) => /\.(int|e2e)-spec\.ts$/.test(file));

/**
 * The one Jest configuration: every project's jest.config.js calls it with its own name and folder.
 * Results are written to .assay/test-results, where `npm test` sums them.
 */
module.exports = (name, dir) => ({
  displayName: name,
  rootDir: dir,
  testEnvironment: 'node',
  testMatch: ['<rootDir>/src/**/*.{spec,int-spec,e2e-spec,arch-spec}.ts'],
  moduleNameMapper: { '^@assay/(.*)$': join(__dirname, 'libs/$1/src/index.ts') },
  transform: {
    '^.+\\.(ts|js|mjs)$': ['@swc/jest', { ...swcrc, module: { ...swcrc.module, ignoreDynamic: false }, swcrc: false }],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
  ...(hasServers(dir)
    ? {
        globalSetup: join(__dirname, 'tools/test/global-setup.cjs'),
        globalTeardown: join(__dirname, 'tools/test/global-teardown.cjs'),
      }
    : {}),
  passWithNoTests: true,
  testTimeout: 60_000,
  maxWorkers: process.env.ASSAY_JEST_WORKERS ?? '50%',
  reporters: ['default', [join(__dirname, 'tools/test/results-reporter.cjs'), { name }]],
});
