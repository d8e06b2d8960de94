import { loadPolicy } from '@assay/release-policy';
import { PROJECT_ROOT } from '@assay/testing';
import { demoPolicy } from './demo-policy';

test.each(['demo', 'my-suite'])("the demo's policy holds where the suite %s is the only one there is", (suite) => {
  const [repository] = loadPolicy(demoPolicy(PROJECT_ROOT, suite), 'demo.policy.yaml', [suite]).repositories;
  expect(repository).toMatchObject({
    name: 'example/coding-agent',
    rules: [{ name: 'stable', suite }, { name: 'by-hand' }],
    dispatch: { suites: [suite], suite, limits: [1, 8] },
  });
});
