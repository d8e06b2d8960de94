import { posix } from 'node:path';
import type Docker from 'dockerode';
import type { SandboxRequest } from '../sandbox.port';

const MEBIBYTE = 1_048_576;

/** What the engine gives by default, and what programs expect. Bytes. */
const SHM_BYTES = 64 * MEBIBYTE;

/** Open files: far above what builds and tests use. An engine refuses more than its own bound, which may be 20,000. */
const OPEN_FILES = 16_384;

/** What a container is made with beside its request. */
export interface LayoutParts {
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** The container whose network it joins; null: as the request says. */
  readonly sidecarId: string | null;
  /** The image has files in /tmp. */
  readonly imageHasTmp: boolean;
}

/** How a sandbox's container is laid out (docs/adr/0009). */
export function containerLayout(request: SandboxRequest, parts: LayoutParts): Docker.ContainerCreateOptions {
  const { image, limits, user, lifetimeSeconds, cpuset } = request;
  const { env, labels, sidecarId } = parts;
  const official = isOfficialGrade(request);
  return {
    Image: image.imageId,
    // The dead-man switch: whoever is left to watch it, the container ends at its deadline.
    Entrypoint: ['sleep'],
    Cmd: [String(Math.ceil(lifetimeSeconds))],
    WorkingDir: image.workdir,
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    Labels: { ...labels },
    ...(user === null ? {} : { User: user }),
    HostConfig: {
      NetworkMode: networkMode(request, sidecarId),
      CapDrop: official ? [] : ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Init: true,
      PidsLimit: limits.pids,
      Memory: limits.memoryMb * MEBIBYTE,
      MemorySwap: limits.memoryMb * MEBIBYTE,
      NanoCpus: Math.round(limits.cpus * 1e9),
      ...(cpuset === undefined ? {} : { CpusetCpus: cpuset }),
      ShmSize: SHM_BYTES,
      ...(official ? {} : { Ulimits: ulimits() }),
      Mounts: [...request.mounts.map(readOnly), ...temporary(request, parts)],
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}

/** A grade with outside network is laid out as the official harness does it: the engine's own capabilities and limits. */
function isOfficialGrade({ role, network }: SandboxRequest): boolean {
  return role === 'grade' && network === 'outside';
}

function networkMode({ network }: SandboxRequest, sidecarId: string | null): string {
  if (sidecarId !== null) return `container:${sidecarId}`;
  return network === 'outside' ? 'bridge' : 'none';
}

function ulimits(): { Name: string; Soft: number; Hard: number }[] {
  return [
    { Name: 'core', Soft: 0, Hard: 0 },
    { Name: 'nofile', Soft: OPEN_FILES, Hard: OPEN_FILES },
  ];
}

function readOnly({ hostDir, insideDir }: SandboxRequest['mounts'][number]): Docker.MountConfig[number] {
  return { Type: 'bind', Source: hostDir, Target: insideDir, ReadOnly: true };
}

/**
 * `/tmp` of a trial is memory with a bound, counted with the trial's own. It is a volume of the engine, not a tmpfs mount:
 * only so do files land in it that are put there through the engine. Where the image has files in `/tmp`, which would be
 * hidden, or the task works there, it is the image's own, as it is in a grade: what is officially done.
 */
function temporary({ role, limits, image }: SandboxRequest, { labels, imageHasTmp }: LayoutParts): Docker.MountConfig {
  const worksThere = posix.normalize(`${image.workdir}/`).startsWith('/tmp/');
  if (role !== 'trial' || worksThere || imageHasTmp) return [];
  const size = Math.ceil(Math.min(limits.diskMb, limits.memoryMb / 2));
  const options = { type: 'tmpfs', device: 'tmpfs', o: `size=${size}m,mode=1777,nosuid,nodev` };
  const driver = { Name: 'local', Options: options };
  return [
    {
      Type: 'volume',
      Source: '',
      Target: '/tmp',
      VolumeOptions: { NoCopy: true, Labels: { ...labels }, DriverConfig: driver },
    },
  ];
}
