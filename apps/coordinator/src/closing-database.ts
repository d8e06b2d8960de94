import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '@assay/persistence';

/** Closes the pool when everything that used it has stopped. */
@Injectable()
export class ClosingDatabase implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
