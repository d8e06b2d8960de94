import type { Namespace } from '@assay/contracts';
import { DockerSandboxProvider } from './docker/docker-provider';
import { ProcessSandboxProvider } from './process/process-provider';
import type { SandboxProvider } from './sandbox.port';

/** The kinds of sandboxes that a worker offers, by name. */
export type SandboxProviders = ReadonlyMap<SandboxProvider['name'], SandboxProvider>;

export interface ProvidersOptions {
  readonly namespace: Namespace;
  /** Folder of the host for the process sandbox. */
  readonly workDir: string;
  /** BASE_IMAGE of docker builds; null: what the Dockerfile says. */
  readonly baseImage: string | null;
}

/** Makes the providers of these kinds. */
export function sandboxProviders(
  kinds: readonly SandboxProvider['name'][],
  { namespace, workDir, baseImage }: ProvidersOptions,
): SandboxProviders {
  const make = {
    docker: () => new DockerSandboxProvider({ namespace, baseImage }),
    process: () => new ProcessSandboxProvider({ namespace, workDir, path: process.env['PATH'] ?? '/usr/bin:/bin' }),
  };
  return new Map(kinds.map((kind) => [kind, make[kind]()]));
}
