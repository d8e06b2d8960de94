import type Docker from 'dockerode';

export const SYMPY_TAG: string;
export const SYMPY_INSTANCE: string;
/** Builds the image if the engine does not have it; resolves with its id. */
export function buildSympy(
  docker: Docker,
  options?: { tag?: string; base?: string; force?: boolean; note?: (line: string) => void },
): Promise<string>;
