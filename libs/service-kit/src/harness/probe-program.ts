import 'reflect-metadata';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Get, Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import type { Logger } from 'pino';
import { z } from 'zod';
import { bootService, commonConfig, envChoice, LOGGER, reach } from '../index';

/** A service that misbehaves as PROBE_FAULT says, run by boot.spec.ts as a process of its own. */
const FAULTS = ['none', 'unreachable', 'broken-module', 'broken-transport', 'stuck', 'hasty-transport'] as const;
const config = z.object({
  ...commonConfig('grader'),
  PROBE_FAULT: envChoice(FAULTS, 'none').describe('What goes wrong'),
});

@Controller()
class ProbeController implements OnModuleDestroy {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  @Get('slow')
  async slow(): Promise<string> {
    this.logger.info('slow request begun');
    await pause(700);
    return 'whole';
  }

  @Get('reject')
  reject(): string {
    void Promise.reject(new Error('nobody caught this rejection'));
    return 'rejected';
  }

  @Get('throw')
  throw(): string {
    setImmediate(() => {
      throw new Error('nobody caught this throw');
    });
    return 'thrown';
  }

  onModuleDestroy(): void {
    this.logger.info('module destroyed');
  }
}

class ProbeTransport extends Server implements CustomTransportStrategy {
  constructor(private readonly fault: (typeof FAULTS)[number]) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    callback(this.fault === 'broken-transport' ? new Error('no stream for the transport') : undefined);
  }

  async close(): Promise<void> {
    process.stdout.write('{"msg":"transport closed"}\n');
    if (this.fault === 'stuck') await new Promise(() => undefined);
    if (this.fault === 'hasty-transport') throw new Error('the transport fell over');
  }

  override on(): never {
    throw new Error('not offered');
  }

  override unwrap(): never {
    throw new Error('not offered');
  }
}

const OTHER_SERVER = Symbol('OTHER_SERVER');

@Module({})
class ProbeModule {}

void bootService({
  name: 'grader',
  config,
  module: ({ PROBE_FAULT: fault }) => ({
    module: ProbeModule,
    controllers: [ProbeController],
    providers: [
      {
        provide: OTHER_SERVER,
        useFactory: () => {
          if (fault === 'broken-module') throw new Error('a module that cannot be built\nwith a second line');
          const refused = new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:1')]);
          const address = 'postgres://me:secret-word@127.0.0.1:1/x';
          return reach('PostgreSQL', 'DATABASE_URL', address, () =>
            fault === 'unreachable' ? Promise.reject(refused) : Promise.resolve(true),
          );
        },
      },
    ],
  }),
  strategy: (_app, { PROBE_FAULT: fault }) => new ProbeTransport(fault),
});
