import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { assertNever } from '@assay/contracts';
import type { Handles } from './handlers';
import { STREAM_PATTERNS } from './stream-patterns';

/** Where Nest keeps a pattern's extras (`PATTERN_EXTRAS_METADATA` of @nestjs/microservices 11). */
const EXTRAS = 'microservices:pattern_extras';

/**
 * What these controllers take, in the words of FLOW's `consumes`, sorted, each once: `rpc:claim`, `stream:work.trial`.
 * A worker listens to `core:control.cancel` by itself.
 */
export function subscriptionsOf(controllers: readonly Type[]): string[] {
  const all = controllers.flatMap((controller) => handlesOf(controller).flatMap(subscriptionsOfHandler));
  return [...new Set(all)].sort();
}

function handlesOf(controller: Type): Handles[] {
  const prototype = controller.prototype as object;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const method = Object.getOwnPropertyDescriptor(prototype, name)?.value as unknown;
    if (typeof method !== 'function') return [];
    const extras = Reflect.getMetadata(EXTRAS, method) as { assay?: Handles } | undefined;
    return extras?.assay === undefined ? [] : [extras.assay];
  });
}

function subscriptionsOfHandler(handles: Handles): readonly string[] {
  switch (handles.channel) {
    case 'rpc':
      return [`rpc:${handles.name}`];
    case 'stream':
      return STREAM_PATTERNS[handles.pattern].subscriptions;
    case 'core':
      return [`core:${handles.pattern}`];
    case 'work':
      return [`stream:work.${handles.kind}`, 'core:control.cancel'];
    default:
      return assertNever(handles);
  }
}
