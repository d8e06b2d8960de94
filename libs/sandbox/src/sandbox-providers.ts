import type { Namespace } from '@assay/contracts';
import { DockerSandboxProvider } from './docker/docker-provider';
import type { Forwarder } from './docker/sidecar/forwarder-image';
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
  /** Leads from docker sandboxes to the model gateway; absent: none of them has one. */
  readonly forwarder?: Forwarder;
}

/** Makes the providers of these kinds. */
export function sandboxProviders(
  kinds: readonly SandboxProvider['name'][],
  { namespace, workDir, ...docker }: ProvidersOptions,
): SandboxProviders {
  const make = {
    docker: () => new DockerSandboxProvider({ namespace, ...docker }),
    process: () => new ProcessSandboxProvider({ namespace, workDir, path: process.env['PATH'] ?? '/usr/bin:/bin' }),
  };
  return new Map(kinds.map((kind) => [kind, make[kind]()]));
}
