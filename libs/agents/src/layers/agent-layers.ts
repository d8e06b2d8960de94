import { createHash } from 'node:crypto';
import { copyFile, link, mkdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { InfraError } from '@assay/failures';
import type { AgentLayer } from './agent-layer';
import type { AgentPackage, NpmPart } from './agent-package';
import { archOf, type Arch } from './arch';
import { LayerFolder } from './layer-folder';
import { fetchArchive } from './npm-registry.client';
import { nodeRuntime } from './node-runtime';
import { installPip } from './pip-registry.client';
import { sealTree } from './seal-tree';
import { unpackArchive } from './unpack-archive';

/** A frozen agent: what stands in a manifest. */
export interface FrozenAgent {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/** Where layers are kept when nobody says: beside what else this project fetches. */
export function defaultLayersDir(env: NodeJS.ProcessEnv = process.env): string {
  const cache = env['ASSAY_CACHE_DIR'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'assay');
  return join(cache, 'agents');
}

/**
 * The agents' packages of this host. Each is fetched once by exact version, checked against what was frozen, unpacked with its
 * Node runtime beside it, and from then on only read: trials mount it, and install nothing.
 */
export class AgentLayers {
  private readonly folder: LayerFolder;
  private readonly arch: Arch;

  constructor(dir: string = defaultLayersDir(), arch: Arch = archOf()) {
    this.folder = new LayerFolder(dir);
    this.arch = arch;
  }

  /**
   * @throws InfraError `agent_package_missing`, `agent_package_corrupt`, `agent_registry_unavailable`, and what a full or
   *   read-only disk says
   */
  async ensure(
    pack: AgentPackage,
    { name, version, integrity }: FrozenAgent,
    signal: AbortSignal,
  ): Promise<AgentLayer> {
    const needs = pack.registry === 'npm' ? (pack.node ? nodeRuntime(this.arch).integrity : '') : pack.python;
    const id = layerId(name, version, [integrity, needs, this.arch]);
    const hostDir = await this.folder.ensure(id, signal, async (dir) => {
      if (pack.registry === 'pip') {
        await installPip(pack, version, { wanted: integrity, dir: join(dir, 'site'), arch: this.arch, signal });
        await sealTree(join(dir, 'site'), []);
      } else {
        await this.unpackParts(pack.parts(version, this.arch), integrity.split(' '), { dir, signal });
        if (pack.node) await this.addNode(dir, signal);
      }
    });
    return { id, name, version, hostDir };
  }

  private async unpackParts(
    parts: readonly NpmPart[],
    wanted: readonly string[],
    { dir, signal }: { readonly dir: string; readonly signal: AbortSignal },
  ): Promise<void> {
    if (wanted.length !== parts.length) {
      const options = { code: 'agent_package_corrupt', phase: 'prepare', details: { wanted } } as const;
      throw new InfraError(`expected ${parts.length} integrities, ${wanted.length} were frozen`, options);
    }
    for (const [at, part] of parts.entries()) {
      await this.unpackPart(part, wanted[at] ?? '', { dir, signal });
    }
  }

  private async unpackPart(
    part: NpmPart,
    integrity: string,
    { dir, signal, wanted }: { dir: string; signal: AbortSignal; wanted?: (path: string) => boolean },
  ): Promise<void> {
    const aside = join(dir, '.archive');
    await mkdir(aside);
    const { file } = await fetchArchive(part, integrity, { dir: aside, signal });
    await unpackArchive(file, join(dir, part.dir), wanted);
    await rm(aside, { recursive: true });
    await sealTree(join(dir, part.dir), part.executables ?? []);
  }

  /** One Node on the disk, however many agents have it beside them. */
  private async addNode(dir: string, signal: AbortSignal): Promise<void> {
    const { part, integrity, wanted } = nodeRuntime(this.arch);
    const id = layerId('node', part.version, [integrity, this.arch]);
    const node = await this.folder.ensure(id, signal, (into) =>
      this.unpackPart(part, integrity, { dir: into, signal, wanted }),
    );
    const target = join(dir, 'node/bin/node');
    await mkdir(dirname(target), { recursive: true });
    const source = join(node, 'node/bin/node');
    await link(source, target).catch(() => copyFile(source, target));
  }
}

function layerId(name: string, version: string, content: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 12);
  return `${name}-${version.replace(/[^A-Za-z0-9.-]/g, '_')}-${hash}`;
}
