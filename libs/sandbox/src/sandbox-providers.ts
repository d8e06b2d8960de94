import { DockerSandboxProvider, type DockerProviderOptions } from './docker/docker-provider';
import { ProcessSandboxProvider } from './process/process-provider';
import type { SandboxProvider } from './sandbox.port';

/** The kinds of sandboxes that a worker offers, by name. */
export type SandboxProviders = ReadonlyMap<SandboxProvider['name'], SandboxProvider>;

export interface ProvidersOptions extends DockerProviderOptions {
  /** Folder of the host for the process sandbox. */
  readonly workDir: string;
}

/** Makes the providers of these kinds. */
export function sandboxProviders(
  kinds: readonly SandboxProvider['name'][],
  { workDir, ...docker }: ProvidersOptions,
): SandboxProviders {
  const make = {
    docker: () => new DockerSandboxProvider(docker),
    process: () =>
      new ProcessSandboxProvider({
        namespace: docker.namespace,
        workDir,
        path: process.env['PATH'] ?? '/usr/bin:/bin',
      }),
  };
  return new Map(kinds.map((kind) => [kind, make[kind]()]));
}
