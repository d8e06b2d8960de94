import { Module, type DynamicModule, type Type } from '@nestjs/common';
import type { BuildDigest } from '@assay/contracts';
import type { Logger } from 'pino';
import { HealthController } from './health.controller';
import { Readiness } from './readiness';

/** Injection token of the service's pino logger. */
export const LOGGER = Symbol('LOGGER');

/** Injection token of this process's build digest. */
export const BUILD_DIGEST = Symbol('BUILD_DIGEST');

/** What a service gets from the kit, beside its settings. The same things are there for injection. */
export interface ServiceKit {
  readonly logger: Logger;
  readonly readiness: Readiness;
  readonly buildDigest: BuildDigest;
}

export type AnyModule = DynamicModule | Type;

/** The two health pages, for a service whose `Readiness` is there for injection. */
@Module({ controllers: [HealthController] })
export class HealthModule {}

/** The root of every service: its own module, the health pages, and the kit for injection everywhere. */
@Module({})
export class KitModule {
  static of({ logger, readiness, buildDigest }: ServiceKit, service: AnyModule): DynamicModule {
    return {
      module: KitModule,
      global: true,
      imports: [HealthModule, service],
      providers: [
        { provide: LOGGER, useValue: logger },
        { provide: Readiness, useValue: readiness },
        { provide: BUILD_DIGEST, useValue: buildDigest },
      ],
      exports: [LOGGER, Readiness, BUILD_DIGEST],
    };
  }
}
