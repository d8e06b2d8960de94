import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import pg from 'pg';

/** Claim, first heartbeat and result of trial and grade; a work and a result message for each. */
const COMMITS_PER_INSTANCE = 6;
const PUBLISHES_PER_INSTANCE = 4;
const TIMES = 300;

/**
 * What the servers alone take: a one-row insert in a transaction of its own and a publish that its stream acknowledged,
 * one after the other over one connection, and what the least that one instance needs of them comes to.
 * @returns {Promise<{commitMs: number, publishMs: number, limitMs: number, name: string}>}
 */
export async function bareNumbers({ postgresUrl, natsUrl }) {
  const commitMs = await bareCommit(postgresUrl);
  const publishMs = await barePublish(natsUrl);
  return {
    commitMs,
    publishMs,
    limitMs: COMMITS_PER_INSTANCE * commitMs + PUBLISHES_PER_INSTANCE * publishMs,
    name: `${COMMITS_PER_INSTANCE} commits + ${PUBLISHES_PER_INSTANCE} publishes`,
  };
}

async function bareCommit(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create table bench_bare (id int)');
  const started = performance.now();
  for (let index = 0; index < TIMES; index += 1) await client.query('insert into bench_bare values ($1)', [index]);
  const ms = (performance.now() - started) / TIMES;
  await client.query('drop table bench_bare');
  await client.end();
  return ms;
}

async function barePublish(url) {
  const connection = await connect({ servers: url });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'BARE', subjects: ['bare.>'] });
  const js = jetstream(connection);
  const started = performance.now();
  for (let index = 0; index < TIMES; index += 1) await js.publish(`bare.${index}`, '{}');
  const ms = (performance.now() - started) / TIMES;
  await manager.streams.delete('BARE');
  await connection.close();
  return ms;
}
