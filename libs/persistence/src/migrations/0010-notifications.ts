import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What others are told. A trigger keeps a notice of each event that may interest somebody, in the event's own transaction,
 * whoever writes it; a publisher that asks makes one notification of it for each of its targets.
 */
export class Notifications1764500400000 implements MigrationInterface {
  name = 'Notifications1764500400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(UP);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(DOWN);
  }
}

const UP = `
create table notices (
  event_id bigint not null,
  event text not null constraint notices_event_check
    check (event in ('run.ended','run.quarantined','run.stalled','package.late','publication.refused')),
  run_id text not null references runs (id),
  at timestamptz not null default now(),
  planned_at timestamptz,
  primary key (event_id, event)
);
create index notices_open on notices (event_id) where planned_at is null;

create table notifications (
  id text primary key,
  run_id text not null references runs (id),
  event text not null constraint notifications_event_check
    check (event in ('run.ended','run.quarantined','run.stalled','package.late','publication.refused')),
  target text not null,
  body jsonb not null,
  state text not null default 'PENDING' constraint notifications_state_check check (state in ('PENDING','SENT','FAILED')),
  tries integer not null default 0,
  next_at timestamptz not null default now(),
  claim_id uuid,
  last_error text,
  at timestamptz not null,
  settled_at timestamptz
);
create index notifications_due on notifications (next_at) where state = 'PENDING';
create index notifications_run on notifications (run_id);

create function keep_notice() returns trigger language plpgsql as $$
begin
  insert into notices (event_id, event, run_id)
  select new.id, event, new.run_id from unnest(
    case
      when new.type = 'run.terminal' and new.data ->> 'state' = 'QUARANTINED' then array['run.ended', 'run.quarantined']
      when new.type in ('run.terminal', 'run.failed', 'run.cancelled') then array['run.ended']
      else array[new.type]
    end) as event;
  return null;
end $$;
create trigger events_notice after insert on events for each row
  when (new.type in ('run.terminal','run.failed','run.cancelled','run.stalled','package.late','publication.refused'))
  execute function keep_notice();
`;

const DOWN = `
drop trigger events_notice on events;
drop function keep_notice;
drop table notifications, notices;
`;
