import type { NpmPart } from './agent-package';
import type { Arch } from './arch';

/**
 * The Node that agents run on, whatever the image has. It needs glibc 2.28: Debian 10, Ubuntu 20.04 and newer.
 */
export const NODE_VERSION = '24.22.3';

const INTEGRITY: Readonly<Record<Arch, string>> = {
  x64: 'sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==',
  arm64: 'sha512-IZx0J52/1NDwAsY2iyWR9nlPIYuYviTWetjj8+ElvYQh2+XRhLfCfkbFEF/2O5vGI2hcUbyPNHV+nz342FbJXw==',
};

/** Node's own binary in a package of npm; of it only the program and its licence are needed. */
export function nodeRuntime(arch: Arch): { part: NpmPart; integrity: string; wanted: (path: string) => boolean } {
  return {
    part: { name: `node-linux-${arch}`, version: NODE_VERSION, dir: 'node' },
    integrity: INTEGRITY[arch],
    wanted: (path) => path === 'bin/node' || path === 'LICENSE' || path === 'package.json',
  };
}
