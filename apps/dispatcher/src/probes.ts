import { Injectable } from '@nestjs/common';
import { NatsLink } from '@assay/messaging';
import { Database } from '@assay/persistence';
import { Readiness } from '@assay/service-kit';
import { SchemaGate } from './database/schema-gate';

/** What /readyz looks at: the database answers, has the schema, and NATS answers; openArtifacts adds the store. */
@Injectable()
export class Probes {
  constructor(readiness: Readiness, database: Database, gate: SchemaGate, link: NatsLink) {
    readiness.add('database', () => database.query('select 1'));
    readiness.add('schema', async () => {
      const missing = await gate.missing();
      if (missing !== null) throw new Error(missing);
    });
    readiness.add('nats', () => {
      if (!link.connected) throw new Error('not connected');
      return link.connection.rtt();
    });
  }
}
