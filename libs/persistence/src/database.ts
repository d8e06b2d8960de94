import type { Namespace } from '@assay/contracts';
import { DataSource, type QueryRunner } from 'typeorm';
import { Initial1764400000000 } from './migrations/0001-initial';
import { PublicationTries1764403200000 } from './migrations/0002-publication-tries';

/** What a SQL verb needs: statements, inside a transaction or not. */
export interface Sql {
  /** Runs one statement with `$1…` parameters; resolves with its rows (for `returning` too). */
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

export interface DatabaseOptions {
  /** `postgres://…` */
  readonly url: string;
  /** Becomes the schema: everything of this deployment lies in it. */
  readonly namespace: Namespace;
  /** Connections at most; default 10. */
  readonly poolSize?: number;
}

/** One deployment's database: a pool whose connections see only the deployment's own schema. */
export class Database implements Sql {
  private constructor(
    readonly namespace: Namespace,
    /** For entity repositories and schema tests; verbs use `query`. */
    readonly dataSource: DataSource,
  ) {}

  /** Connects, and makes the schema if it is not there. Rejects with the driver's error when the server is away. */
  static async open({ url, namespace, poolSize = 10 }: DatabaseOptions): Promise<Database> {
    const dataSource = new DataSource({
      type: 'postgres',
      url,
      schema: namespace,
      entities: [],
      migrations: [Initial1764400000000, PublicationTries1764403200000],
      migrationsTableName: 'migrations',
      synchronize: false,
      poolSize,
      applicationName: `assay-${namespace}`,
      extra: { options: `-c search_path=${namespace}`, connectionTimeoutMillis: 5_000 },
    });
    await dataSource.initialize();
    await dataSource.query(`create schema if not exists ${namespace}`);
    return new Database(namespace, dataSource);
  }

  /** Applies every migration that is not applied yet, each in a transaction of its own. */
  async migrate(): Promise<void> {
    await this.dataSource.runMigrations({ transaction: 'each' });
  }

  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const runner = this.dataSource.createQueryRunner();
    try {
      return await statement<Row>(runner, sql, parameters);
    } finally {
      await runner.release();
    }
  }

  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    await runner.connect();
    try {
      await runner.startTransaction();
      const result = await work({ query: (sql, parameters = []) => statement(runner, sql, parameters) });
      await runner.commitTransaction();
      return result;
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      throw error;
    } finally {
      await runner.release();
    }
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
  }
}

/** TypeORM answers updates and deletes as [rows, count]; a structured result has the rows for every kind. */
async function statement<Row>(runner: QueryRunner, sql: string, parameters: readonly unknown[]): Promise<Row[]> {
  const result = await runner.query(sql, [...parameters], true);
  return result.records as Row[];
}
