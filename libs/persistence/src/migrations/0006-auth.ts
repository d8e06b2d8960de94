import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who may call the dispatcher: service tokens, of which only a hash is kept; OIDC tokens that were used, so that none is
 * used twice; and the audit log. The log is append-only: nothing in it changes, and what is older than a day goes only
 * in a transaction that says that it prunes.
 */
export class Auth1764450000000 implements MigrationInterface {
  name = 'Auth1764450000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(UP);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(DOWN);
  }
}

const UP = `
create table service_tokens (
  id text primary key,
  name text not null,
  token_hash text not null constraint service_tokens_token_hash_key unique,
  scopes jsonb not null,
  repository text,
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);

create table spent_tokens (
  issuer text not null,
  jti text not null,
  kept_until timestamptz not null,
  primary key (issuer, jti)
);
create index spent_tokens_kept on spent_tokens (kept_until);

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  request_id uuid not null,
  principal_kind text not null check (principal_kind in ('workflow','service','deployment','nobody')),
  principal text,
  method text not null,
  route text,
  path text not null,
  status integer not null,
  reason text,
  address text not null
);
create index audit_log_at on audit_log (at);

-- Who may see one repository's runs may read what they left.
create index artifacts_digest on artifacts (digest);

create function keep_audit_log() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('assay.prunes_audit_log', true) = 'yes' and old.at < now() - interval '1 day' then
    return old;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'check_violation';
end $$;
create trigger audit_log_append_only before update or delete on audit_log for each row execute function keep_audit_log();
create trigger audit_log_kept before truncate on audit_log for each statement execute function keep_audit_log();
`;

const DOWN = `
drop index artifacts_digest;
drop table audit_log, spent_tokens, service_tokens;
drop function keep_audit_log;
`;
