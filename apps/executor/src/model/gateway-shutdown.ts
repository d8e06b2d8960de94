import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { GATEWAY } from '../tokens';
import { GatewayFolders } from './gateway-folders';
import type { OpenGateway } from './open-gateway';

/** Stops the gateway when no trial runs any more, and removes its folders. */
@Injectable()
export class GatewayShutdown implements OnApplicationShutdown {
  constructor(
    @Inject(GATEWAY) private readonly open: OpenGateway | null,
    private readonly folders: GatewayFolders,
  ) {}

  /** Called by Nest. */
  async onApplicationShutdown(): Promise<void> {
    if (this.open === null) return;
    await this.open.gateway.stop();
    await this.folders.remove(this.open.place);
  }
}
