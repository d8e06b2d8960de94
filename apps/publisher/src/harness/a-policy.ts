import { loadPolicy, type PublicationMode, type ReleasePolicy } from '@assay/release-policy';

/** A policy for acme/agent: stable vX.Y.0, prereleases of the family bench-…, and what a person starts. */
export function aPolicy(publication: PublicationMode): ReleasePolicy {
  return loadPolicy(
    `schema: assay.policy/1
publication: ${publication}
repositories:
  - name: acme/agent
    package: { registry: none, name: agent }
    rules:
      - { name: by-hand, event: dispatch }
      - { name: bench, event: release, prerelease: true, tag: '^bench-.+$', suite: demo }
      - { name: stable, event: release, prerelease: false, tag: '^v[0-9]+[.][0-9]+[.]0$', suite: demo }
    dispatch: { suites: [demo], suite: demo, limits: [1], limit: 1 }
`,
    'assay.policy.yaml',
  );
}
