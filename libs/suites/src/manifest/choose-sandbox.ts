import type { ImageSource, Manifest } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import type { Suite } from '../suite/load-suite';

export type SandboxName = Manifest['sandbox'];

/**
 * The sandbox of a run: what the suite fixes, else the deployment's choice.
 * @throws TaskError `sandbox_unfit` where a score would be measured in the process sandbox
 */
export function chooseSandbox(
  suite: Pick<Suite, 'sandbox' | 'publish' | 'name'>,
  deployment: SandboxName,
): SandboxName {
  const chosen = suite.sandbox === 'any' ? deployment : suite.sandbox;
  if (chosen === 'process' && suite.publish === 'score') {
    throw unfit(`Suite ${suite.name} publishes a score: it needs the docker sandbox, not process`);
  }
  return chosen;
}

/** The process sandbox reads a Dockerfile; a named image needs an engine. @throws TaskError `sandbox_unfit` */
export function requireFit(sandbox: SandboxName, id: string, image: ImageSource): void {
  if (sandbox === 'process' && image.kind === 'reference') {
    throw unfit(`${id} names the image ${image.reference}: it needs the docker sandbox, not process`);
  }
}

function unfit(message: string): TaskError {
  return new TaskError(message, { code: 'sandbox_unfit', phase: 'dispatch' });
}
