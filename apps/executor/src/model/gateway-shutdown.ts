import { dirname } from 'node:path';
import { rm } from 'node:fs/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { GATEWAY } from '../tokens';
import type { ListeningGateway } from './trial-models';

/** Stops the gateway when no trial runs any more, and removes its socket's folder. */
@Injectable()
export class GatewayShutdown implements OnApplicationShutdown {
  constructor(@Inject(GATEWAY) private readonly listening: ListeningGateway | null) {}

  /** Called by Nest. */
  async onApplicationShutdown(): Promise<void> {
    if (this.listening === null) return;
    const { gateway, at } = this.listening;
    await gateway.stop();
    await rm(dirname(at.socket), { recursive: true, force: true });
  }
}
