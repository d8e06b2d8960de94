import { InfraError } from '@assay/failures';

/** Processors that agents' packages are made for. */
export type Arch = 'x64' | 'arm64';

/** This machine's. @throws InfraError `agent_arch_unsupported` */
export function archOf(name: string = process.arch): Arch {
  if (name === 'x64' || name === 'arm64') return name;
  throw new InfraError(`no agent runs on ${name} (x64 and arm64 are known)`, {
    code: 'agent_arch_unsupported',
    phase: 'prepare',
    details: { arch: name },
  });
}
