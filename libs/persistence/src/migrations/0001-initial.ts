import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The first schema. Runs with search_path set to the deployment's own schema, so no name is qualified.
 * Guards live here, not in code: uniqueness, foreign keys, and triggers for terminal states and append-only events.
 */
export class Initial1764400000000 implements MigrationInterface {
  name = 'Initial1764400000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(UP);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(DOWN);
  }
}

const UP = `
create table runs (
  id text primary key,
  state text not null check (state in ('WAITING','QUEUED','RUNNING','SUCCEEDED','QUARANTINED','FAILED','CANCELLED')),
  publication_state text not null default 'NONE'
    check (publication_state in ('NONE','PENDING','WRITTEN','PUBLISHED','SUPERSEDED')),
  repository text not null default '',
  idempotency_key text not null,
  request jsonb not null,
  request_digest text not null,
  suite text not null,
  manifest jsonb,
  manifest_digest text,
  paused boolean not null default false,
  revision integer not null default 0,
  next_at timestamptz,
  poll_tries integer not null default 0,
  last_error text,
  last_served_at timestamptz,
  result jsonb,
  traceparent text,
  created_at timestamptz not null default now(),
  queued_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  constraint runs_idempotency unique (repository, idempotency_key)
);
create index runs_waiting on runs (next_at) where state = 'WAITING';
create index runs_created on runs (created_at, id);

create table instances (
  run_id text not null references runs (id),
  instance_id text not null,
  sample integer not null default 0,
  position integer not null,
  state text not null check (state in ('QUEUED','PREPARING','RUNNING_AGENT','UPLOADING','GRADING','RETRY_WAIT',
    'RESOLVED','UNRESOLVED','EXECUTION_ERROR','INFRA_FAILED','CANCELLED')),
  attempts integer not null default 0,
  attempt_id uuid,
  failure jsonb,
  reached_limit text check (reached_limit in ('time','turns','cost','calls')),
  suspicions jsonb not null default '[]',
  next_try_at timestamptz,
  traceparent text,
  created_at timestamptz not null default now(),
  terminal_at timestamptz,
  primary key (run_id, instance_id, sample)
);
create index instances_state on instances (run_id, state);

create table attempts (
  id uuid primary key,
  run_id text not null,
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
  image_id text,
  traceparent text,
  granted_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  foreign key (run_id, instance_id, sample) references instances (run_id, instance_id, sample),
  constraint attempts_epoch unique (run_id, instance_id, sample, epoch)
);

create table grades (
  id uuid primary key,
  attempt_id uuid not null references attempts (id),
  run_id text not null,
  instance_id text not null,
  sample integer not null,
  number integer not null,
  epoch integer not null,
  claim_id uuid not null,
  worker text not null,
  build_digest text not null,
  state text not null check (state in ('GRANTED','STARTED','COMPLETED','FAILED','LOST','RELEASED','CANCELLED')),
  grader_version text not null,
  verdict text check (verdict in ('RESOLVED','UNRESOLVED')),
  reward double precision,
  outcome jsonb,
  failure jsonb,
  traceparent text,
  granted_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  foreign key (run_id, instance_id, sample) references instances (run_id, instance_id, sample),
  constraint grades_epoch unique (run_id, instance_id, sample, epoch)
);
create unique index grades_verdict on grades (attempt_id, grader_version) where verdict is not null;

create table work_items (
  kind text not null check (kind in ('trial','grade','publication')),
  run_id text not null references runs (id),
  instance_id text not null,
  sample integer not null default 0,
  state text not null default 'OPEN' check (state in ('OPEN','DONE')),
  epoch integer not null default 0,
  claim_id uuid,
  worker text,
  attempt_id uuid,
  lease_until timestamptz,
  expired boolean not null default false,
  tries integer not null default 0,
  test_timeouts integer not null default 0,
  wants_idle boolean not null default false,
  run_at timestamptz not null default now(),
  published_at timestamptz,
  refused_since timestamptz,
  repairs integer not null default 0,
  traceparent text,
  primary key (kind, run_id, instance_id, sample)
);
create index work_items_due on work_items (kind, run_at) where state = 'OPEN';
create index work_items_leased on work_items (lease_until) where state = 'OPEN' and lease_until is not null;

create table events (
  id bigint generated always as identity primary key,
  run_id text not null references runs (id),
  instance_id text,
  sample integer,
  type text not null,
  data jsonb not null default '{}',
  at timestamptz not null default now()
);
create index events_run on events (run_id, id);

create table artifacts (
  id bigint generated always as identity primary key,
  run_id text not null references runs (id),
  instance_id text,
  sample integer,
  attempt_id uuid references attempts (id),
  grade_id uuid references grades (id),
  name text not null,
  digest text not null,
  size bigint not null,
  media_type text not null,
  created_at timestamptz not null default now()
);
create unique index artifacts_attempt on artifacts (attempt_id, name) where attempt_id is not null;
create unique index artifacts_grade on artifacts (grade_id, name) where grade_id is not null;
create index artifacts_run on artifacts (run_id);

create table outbox (
  id bigint generated always as identity primary key,
  topic text not null,
  subject text not null,
  message_id text not null,
  payload jsonb not null,
  run_id text not null references runs (id),
  traceparent text,
  available_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  tries integer not null default 0,
  last_error text
);
create index outbox_unsent on outbox (topic, available_at, id) where sent_at is null;

create table publications (
  run_id text primary key references runs (id),
  repository text not null,
  release_id bigint not null,
  tag text not null,
  suite text not null,
  state text not null check (state in ('NONE','PENDING','WRITTEN','PUBLISHED','SUPERSEDED')),
  block_digest text,
  asset_name text,
  asset_url text,
  previous_body text,
  tries integer not null default 0,
  last_error text,
  created_at timestamptz not null default now(),
  written_at timestamptz,
  published_at timestamptz
);
create index publications_release on publications (repository, release_id, suite);

create table workers (
  id text primary key,
  kind text not null check (kind in ('trial','grade','publication')),
  slots integer not null,
  build_digest text not null,
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now()
);

create table streams (
  name text primary key,
  created text not null
);

create function keep_terminal_state() returns trigger language plpgsql as $$
begin
  if old.state = any (tg_argv[0]::text[]) and new.state is distinct from old.state then
    raise exception 'terminal state % of % % may not become %', old.state, tg_table_name, to_jsonb(old) ->> tg_argv[1], new.state
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger instances_terminal before update on instances for each row
  execute function keep_terminal_state('{RESOLVED,UNRESOLVED,EXECUTION_ERROR,INFRA_FAILED,CANCELLED}', 'instance_id');
create trigger runs_terminal before update on runs for each row
  execute function keep_terminal_state('{SUCCEEDED,QUARANTINED,FAILED,CANCELLED}', 'id');

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'check_violation';
end $$;
create trigger events_append_only before update or delete on events for each row execute function refuse_change();

create function wake_relay() returns trigger language plpgsql as $$
begin
  perform pg_notify(current_schema() || '_outbox', '');
  return null;
end $$;
create trigger outbox_wake after insert on outbox for each statement execute function wake_relay();
`;

const DOWN = `
drop table streams, workers, publications, outbox, artifacts, events, work_items, grades, attempts, instances, runs;
drop function wake_relay, refuse_change, keep_terminal_state;
`;
