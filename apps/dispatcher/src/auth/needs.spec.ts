import { aDeployment, aService, aWorkflow, SCOPES_OF_ALL } from './harness/principals';
import { admission } from './needs';

test('the deployment may do all of it', () => {
  for (const scope of SCOPES_OF_ALL) {
    expect(admission(aDeployment(), { scope, workflows: false }).answer).toBe('admitted');
  }
});

test('a service token may do what its scopes say, and nothing else', () => {
  for (const scope of SCOPES_OF_ALL) {
    for (const own of SCOPES_OF_ALL) {
      const { answer } = admission(aService({ scopes: [own] }), { scope, workflows: true });
      expect([scope, own, answer]).toEqual([scope, own, scope === own ? 'admitted' : 'refused']);
    }
  }
});

test('a workflow may do what is said to be for workflows, whatever its scope', () => {
  for (const scope of SCOPES_OF_ALL) {
    expect(admission(aWorkflow(), { scope, workflows: true }).answer).toBe('admitted');
    expect(admission(aWorkflow(), { scope, workflows: false }).answer).toBe('refused');
  }
});
