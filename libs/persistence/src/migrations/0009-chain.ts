import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What follows a run on its release, link by link. Runs that are not settled get the links that their plan has. */
export class Chain1764496800000 implements MigrationInterface {
  name = 'Chain1764496800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(UP);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(DOWN);
  }
}

const UP = `
create table chains (
  run_id text not null references runs (id),
  position integer not null,
  suite text not null,
  suite_limit integer,
  instance_id text,
  state text not null default 'PENDING' constraint chains_state_check check (state in ('PENDING','STARTED','SKIPPED')),
  cause text constraint chains_cause_check
    check (cause in ('cancelled','superseded','refused','not_measurable','key_taken')),
  reason text,
  child_run_id text references runs (id),
  settled_at timestamptz,
  primary key (run_id, position)
);
create unique index chains_child on chains (child_run_id);
create index chains_pending on chains (run_id) where state = 'PENDING';
insert into chains (run_id, position, suite, suite_limit, instance_id)
select runs.id, link.at - 1, link.step ->> 'suite', (link.step ->> 'limit')::int, link.step ->> 'instanceId'
from runs cross join jsonb_array_elements(runs.origin #> '{plan,chain}') with ordinality as link (step, at)
where runs.state in ('WAITING','QUEUED','RUNNING') or runs.publication_state in ('PENDING','WRITTEN');
`;

const DOWN = `
drop table chains;
`;
