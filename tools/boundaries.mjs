/**
 * Which project may depend on which, and which outside packages a project may load. eslint enforces it
 * (@nx/enforce-module-boundaries); a test proves that an illegal import is refused. The sentences say why.
 */
const drivers = {
  typeorm: 'persistence',
  pg: 'persistence',
  '@nats-io/*': 'messaging',
  dockerode: 'sandbox',
  '@octokit/*': 'github',
  '@aws-sdk/*': 'artifacts',
  jose: 'github',
};

/** Drivers that a project with this name may not load itself. */
const bannedDrivers = (name) =>
  Object.entries(drivers)
    .filter(([, owner]) => owner !== name)
    .map(([driver]) => driver);

const lib = (name, may) => ({
  sourceTag: `name:${name}`,
  onlyDependOnLibsWithTags: [`name:${name}`, ...may.map((other) => `name:${other}`)],
  // libs/testing starts real servers, so it speaks to them by their own drivers.
  ...(name === 'testing' ? {} : { bannedExternalImports: bannedDrivers(name) }),
});

const app = (name, may) => ({
  sourceTag: `name:${name}`,
  onlyDependOnLibsWithTags: [`name:${name}`, ...may.map((other) => `name:${other}`)],
  bannedExternalImports: bannedDrivers(name),
});

export const depConstraints = [
  // The contract of all processes: it must load anywhere, so it knows nothing but zod.
  { ...lib('contracts', []), allowedExternalImports: ['zod', 'fast-check'] },
  // Rules are pure: no clock, no I/O, no framework, so that every case of them is a table in a test.
  { ...lib('lifecycle', ['contracts', 'testing']), allowedExternalImports: ['fast-check'] },
  { ...lib('scoring', ['contracts', 'testing']), allowedExternalImports: ['fast-check'] },
  { ...lib('failures', ['contracts', 'testing']), allowedExternalImports: ['fast-check'] },
  { ...lib('grading', ['contracts', 'testing']), allowedExternalImports: ['fast-check'] },
  {
    ...lib('checked-files', ['contracts', 'failures', 'testing']),
    allowedExternalImports: ['zod', 'yaml', 'fast-check'],
  },
  {
    ...lib('release-policy', ['contracts', 'failures', 'checked-files', 'testing']),
    allowedExternalImports: ['zod', 'yaml', 'fast-check'],
  },
  lib('evidence', ['contracts', 'failures', 'scoring', 'testing']),
  lib('suites', ['contracts', 'failures', 'checked-files', 'testing']),
  lib('sandbox', ['contracts', 'failures', 'testing']),
  // Holds the model's key; the executor opens and closes trials on it, and nothing else reaches it.
  lib('model-gateway', ['contracts', 'failures', 'testing']),
  lib('agents', ['contracts', 'failures', 'sandbox', 'suites', 'artifacts', 'testing']),
  lib('artifacts', ['contracts', 'failures', 'testing']),
  lib('persistence', ['contracts', 'lifecycle', 'scoring', 'telemetry', 'testing']),
  lib('messaging', ['contracts', 'failures', 'telemetry', 'service-kit', 'testing']),
  lib('github', ['contracts', 'failures', 'scoring', 'testing']),
  lib('telemetry', ['contracts', 'testing']),
  lib('service-kit', ['contracts', 'telemetry', 'failures', 'artifacts', 'testing']),
  lib('testing', ['contracts', 'tools-embedded']),
  // Executors, graders and publisher never open the database: their state goes through messages.
  app('dispatcher', [
    'contracts',
    'lifecycle',
    'failures',
    'suites',
    'artifacts',
    'persistence',
    'messaging',
    'github',
    'telemetry',
    'service-kit',
    'agents',
    'scoring',
    'evidence',
    'release-policy',
    'testing',
  ]),
  app('coordinator', [
    'contracts',
    'lifecycle',
    'scoring',
    'failures',
    'artifacts',
    'persistence',
    'messaging',
    'telemetry',
    'service-kit',
    'testing',
  ]),
  app('executor', [
    'contracts',
    'failures',
    'suites',
    'agents',
    'sandbox',
    'model-gateway',
    'artifacts',
    'messaging',
    'telemetry',
    'service-kit',
    'testing',
  ]),
  app('grader', [
    'contracts',
    'failures',
    'suites',
    'grading',
    'sandbox',
    'artifacts',
    'messaging',
    'telemetry',
    'service-kit',
    'testing',
  ]),
  app('publisher', [
    'contracts',
    'failures',
    'scoring',
    'evidence',
    'github',
    'artifacts',
    'messaging',
    'telemetry',
    'service-kit',
    'checked-files',
    'release-policy',
    'testing',
  ]),
  app('cli', [
    'contracts',
    'failures',
    'suites',
    'scoring',
    'grading',
    'artifacts',
    'agents',
    'release-policy',
    'evidence',
    'github',
    // Reads the settings that it hands to services as they will, before it starts any.
    'service-kit',
    'testing',
    'tools-embedded',
    'tools-images',
  ]),
  // GitHub runs its bundle as it is committed: what it needs beside Node would be in there, so it needs nothing;
  // its tests hold it against the contracts.
  { ...app('action', ['contracts', 'testing']), allowedExternalImports: ['selfsigned', 'yaml'] },
  // Black-box tests: they see what a user sees, and the harnesses.
  app('pipeline-e2e', ['contracts', 'evidence', 'testing', 'telemetry']),
];
