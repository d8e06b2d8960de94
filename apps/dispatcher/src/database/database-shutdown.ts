import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '@assay/persistence';
import { AuditLog } from '../auth/audit/audit-log';

/** Closes the pool last, after HTTP has answered, the poller has stopped and every call is written down. */
@Injectable()
export class DatabaseShutdown implements OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly log: AuditLog,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.log.drain();
    await this.database.close();
  }
}
