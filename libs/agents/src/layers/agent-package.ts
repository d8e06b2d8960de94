import type { Arch } from './arch';

/** Where an agent's program comes from; what it consists of is fetched once and mounted read-only. */
export type AgentPackage = NpmPackage | PipPackage;

/** One or more packages of npm, each unpacked into a folder of its own. They bring no dependencies. */
export interface NpmPackage {
  readonly registry: 'npm';
  /** Taken where nobody names one. */
  readonly version: string;
  /** The first is the agent itself: it says whether a version exists. */
  readonly parts: (version: string, arch: Arch) => readonly NpmPart[];
  /** Whether it needs a Node runtime beside it. */
  readonly node: boolean;
}

export interface NpmPart {
  readonly name: string;
  readonly version: string;
  /** Folder inside the layer. */
  readonly dir: string;
  /** Files that must be executable though the package forgot to say so; `*` stands for one part of a path. */
  readonly executables?: readonly string[];
}

/** A package of Python's registry with everything it depends on, in the folder `site` of the layer. */
export interface PipPackage {
  readonly registry: 'pip';
  readonly name: string;
  readonly version: string;
  /** Version of Python that the image must have: compiled dependencies fit no other. */
  readonly python: string;
}
