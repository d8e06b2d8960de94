import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Publications keep their tries as trials and grades do, so that one protocol of leases serves all three; and the
 * relay's window (messages in the stream that nobody has leased) gets an index of its own.
 */
export class PublicationTries1764403200000 implements MigrationInterface {
  name = 'PublicationTries1764403200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(UP);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(DOWN);
  }
}

const UP = `
create table publication_tries (
  id uuid primary key,
  run_id text not null references runs (id),
  instance_id text not null,
  sample integer not null,
  number integer not null,
  epoch integer not null,
  claim_id uuid not null,
  worker text not null,
  build_digest text not null,
  state text not null check (state in ('GRANTED','STARTED','COMPLETED','FAILED','LOST','RELEASED','CANCELLED')),
  outcome jsonb,
  failure jsonb,
  traceparent text,
  granted_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  constraint publication_tries_epoch unique (run_id, instance_id, sample, epoch)
);
create index work_items_published on work_items (kind)
  where state = 'OPEN' and published_at is not null and lease_until is null;
create index outbox_run on outbox (run_id) where sent_at is null;
`;

const DOWN = `
drop index work_items_published, outbox_run;
drop table publication_tries;
`;
