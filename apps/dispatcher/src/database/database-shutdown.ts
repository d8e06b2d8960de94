import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '@assay/persistence';

/** Closes the pool last, after HTTP has answered and the poller has stopped. */
@Injectable()
export class DatabaseShutdown implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}

  onApplicationShutdown(): Promise<void> {
    return this.database.close();
  }
}
