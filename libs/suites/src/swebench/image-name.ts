import type { SwebenchRow } from './row.schema';

export type ImageArch = 'x86_64' | 'arm64';

/** How a suite names images; each is left out where the suite says nothing. */
export interface ImageNaming {
  /** Put before the row's own or the official name. */
  readonly imagePrefix?: string | undefined;
  /** In place of the row's own and the official name; `{instance}` and `{name}` are filled in. */
  readonly imageTemplate?: string | undefined;
  /** Part of the official name; default x86_64. */
  readonly imageArch?: ImageArch | undefined;
  /** Part of the official name; null: images built here, without a namespace. Default swebench. */
  readonly imageNamespace?: string | null | undefined;
}

/**
 * The official image of an instance: `<namespace>/sweb.eval.<arch>.<id>:latest` in lower case. Within a namespace `__` is
 * written `_1776_`, because Docker Hub forbids two underscores in a row; without one it stays (SWE-bench 5.0.2,
 * image_builder/image_spec).
 */
export function officialImage(
  instanceId: string,
  naming: Omit<ImageNaming, 'imagePrefix' | 'imageTemplate'> = {},
): string {
  const { imageArch = 'x86_64', imageNamespace = 'swebench' } = naming;
  const key = `sweb.eval.${imageArch}.${instanceId}:latest`;
  return (imageNamespace === null ? key : `${imageNamespace}/${key}`.replaceAll('__', '_1776_')).toLowerCase();
}

/** The image that a suite wants for a row: its template filled in, else the row's own or the official one with its prefix. */
export function imageFor(row: Pick<SwebenchRow, 'instanceId' | 'image'>, naming: ImageNaming): string {
  const { imagePrefix = '', imageTemplate } = naming;
  if (imageTemplate === undefined) return `${imagePrefix}${row.image ?? officialImage(row.instanceId, naming)}`;
  const instance = row.instanceId.toLowerCase();
  const name = instance.split('__').at(-1) ?? instance;
  return imageTemplate.replaceAll('{instance}', instance).replaceAll('{name}', name);
}
