import type { KnownAgent } from '@assay/suites';

/** The agents that this build can run, with the versions that manifests record. */
export const KNOWN_AGENTS: readonly KnownAgent[] = ['mini', 'nop', 'oracle'].map((name) => ({
  name,
  version: '1.0.0',
  integrity: null,
}));
