/**
 * The official image of an instance: `swebench/sweb.eval.x86_64.<id>:latest` in lower case with `_1776_` for `__`,
 * because Docker Hub forbids two underscores in a row (SWE-bench 5.0.2, harness/test_spec).
 */
export function officialImage(instanceId: string): string {
  return `swebench/sweb.eval.x86_64.${instanceId.replaceAll('__', '_1776_')}:latest`.toLowerCase();
}

export interface ImageNaming {
  readonly imagePrefix?: string | undefined;
  readonly imageTemplate?: string | undefined;
}

/** The image that a suite wants for an instance: its template filled in, else the row's own with the suite's prefix. */
export function imageFor(row: { instanceId: string; image: string }, naming: ImageNaming): string {
  if (naming.imageTemplate === undefined) return `${naming.imagePrefix ?? ''}${row.image}`;
  const instance = row.instanceId.toLowerCase();
  const name = instance.split('__').at(-1) ?? instance;
  return naming.imageTemplate.replaceAll('{instance}', instance).replaceAll('{name}', name);
}
