import type { Namespace } from '@assay/contracts';
import { Client, type PoolClient } from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { databaseUnavailable } from './database-unavailable';
import { ENTITIES } from './entities/entities';
import { PostgresNaming } from './entities/naming';
import { Listener, type ListenOptions } from './listener';
import { MIGRATIONS } from './migrations/migrations';

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

/**
 * One deployment's database: a pool whose connections see only the deployment's own schema. Every statement is prepared
 * once per connection: most verbs are one large statement, and planning it was measured to cost the server as much as
 * doing it. Texts are few, since values go as parameters.
 */
export class Database implements Sql {
  private readonly listeners = new Set<Listener>();
  private readonly prepared = new Map<string, string>();

  private constructor(
    private readonly url: string,
    readonly namespace: Namespace,
    /** For entity repositories and schema tests; verbs use `query`. */
    readonly dataSource: DataSource,
  ) {}

  /** Connects, and makes the schema if it is not there. Rejects with DatabaseUnavailable when it cannot. */
  static async open({ url, namespace, poolSize = 10 }: DatabaseOptions): Promise<Database> {
    const dataSource = new DataSource({
      type: 'postgres',
      url,
      schema: namespace,
      entities: ENTITIES,
      namingStrategy: new PostgresNaming(),
      migrations: MIGRATIONS,
      migrationsTableName: 'migrations',
      synchronize: false,
      poolSize,
      applicationName: `assay-${namespace}`,
      extra: { options: `-c search_path=${namespace}`, connectionTimeoutMillis: 5_000 },
    });
    const database = new Database(url, namespace, dataSource);
    try {
      await dataSource.initialize();
      await database.alone(() => dataSource.query(`create schema if not exists ${namespace}`));
    } catch (error) {
      if (dataSource.isInitialized) await dataSource.destroy();
      throw databaseUnavailable(url, error);
    }
    return database;
  }

  /** Applies every migration that is not applied yet, each in a transaction of its own. Safe from several processes. */
  async migrate(): Promise<void> {
    await this.alone(() => this.dataSource.runMigrations({ transaction: 'each' }));
  }

  /**
   * Calls `onNotify` for every NOTIFY on this deployment's channel `<namespace>_<topic>`, and after every time that the
   * connection was lost and is there again: it must look for itself, and must not throw. Uses a connection of its own.
   */
  async listen(topic: string, onNotify: () => void, options?: ListenOptions): Promise<Listener> {
    const listener = await Listener.start(this.url, `${this.namespace}_${topic}`, onNotify, options);
    this.listeners.add(listener);
    return listener;
  }

  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const runner = this.dataSource.createQueryRunner();
    try {
      return await this.run<Row>(runner, sql, parameters);
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
      const result = await work({ query: (sql, parameters = []) => this.run(runner, sql, parameters) });
      await runner.commitTransaction();
      return result;
    } catch (error) {
      // A rollback fails only with its connection, and then the server rolls back by itself: the first error is the story.
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
  }

  /** Ends every listener and every connection. */
  async close(): Promise<void> {
    await Promise.all([...this.listeners].map((listener) => listener.close()));
    await this.dataSource.destroy();
  }

  private async run<Row>(runner: QueryRunner, sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    // Otherwise a runner that let its dead connection go would hand it out once more.
    if (runner.isReleased) throw new Error('the connection was lost before this statement');
    const client = (await runner.connect()) as PoolClient;
    const { rows } = await client.query({ name: this.nameOf(sql), text: sql, values: [...parameters] });
    return rows as Row[];
  }

  /** The same text has the same name on every connection; the driver prepares it where it is not known yet. */
  private nameOf(sql: string): string {
    const name = this.prepared.get(sql) ?? `s${this.prepared.size}`;
    this.prepared.set(sql, name);
    return name;
  }

  /** Runs `work` while no other process does the same to this schema: services start together. */
  private async alone(work: () => Promise<unknown>): Promise<void> {
    // A connection of its own: the pool may have but one, which the work needs.
    const client = new Client({ connectionString: this.url, connectionTimeoutMillis: 5_000 });
    await client.connect();
    try {
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`assay schema ${this.namespace}`]);
      await work();
    } finally {
      await client.end();
    }
  }
}
