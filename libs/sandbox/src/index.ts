export type {
  AheadContext,
  AheadOutcome,
  ExecRequest,
  ExecResult,
  FetchBounds,
  Gateway,
  Liveness,
  PreparedImage,
  Sandbox,
  SandboxLimits,
  SandboxMount,
  SandboxNetwork,
  SandboxProvider,
  SandboxRequest,
} from './sandbox.port';
export { ProcessSandboxProvider, type ProcessProviderOptions } from './process/process-provider';
export { bytePath, hostPath, textOf, type BytePath } from './byte-path';
export type { HostParts } from './host-parts';
export { ableToWork } from './able-to-work';
export { askedOnce } from './reaping';
export { ImagesAhead, type ImagesAheadOptions, type OpenTask, type WantedImage } from './images-ahead';
export { removeTree } from './remove-tree';
export { DockerSandboxProvider, type DockerProviderOptions } from './docker/docker-provider';
export type { Pinning } from './docker/cores';
export type { Forwarder } from './docker/sidecar/forwarder-image';
export { sandboxProviders, type ProvidersOptions, type SandboxProviders } from './sandbox-providers';
export { Scratch } from './scratch';
export type { SandboxLog } from './sandbox-log';
export { SandboxReaper, type NeededImages, type SandboxReaperOptions } from './sandbox-reaper';
