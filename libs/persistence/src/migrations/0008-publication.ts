import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A publication has several files, and may end without a write: REFUSED with its reason, or DRY_RUN with the difference
 * that a write would have made.
 */
export class Publication1764493200000 implements MigrationInterface {
  name = 'Publication1764493200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(UP);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(DOWN);
  }
}

/** What was written and not read again yet is written again: its one file is not known by its digest. */
const UP = `
update runs set publication_state = 'PENDING' where publication_state = 'WRITTEN';
update publications set state = 'PENDING' where state = 'WRITTEN';
alter table publications
  drop column asset_name,
  drop column asset_url,
  add column assets jsonb not null default '[]',
  add column reason text,
  add column difference jsonb;
alter table publications drop constraint publications_state_check, add constraint publications_state_check
  check (state in ('NONE','PENDING','WRITTEN','PUBLISHED','SUPERSEDED','REFUSED','DRY_RUN'));
alter table runs drop constraint runs_publication_state_check, add constraint runs_publication_state_check
  check (publication_state in ('NONE','PENDING','WRITTEN','PUBLISHED','SUPERSEDED','REFUSED','DRY_RUN'));
`;

const DOWN = `
update runs set publication_state = 'NONE' where publication_state in ('REFUSED','DRY_RUN');
update publications set state = 'NONE' where state in ('REFUSED','DRY_RUN');
alter table runs drop constraint runs_publication_state_check, add constraint runs_publication_state_check
  check (publication_state in ('NONE','PENDING','WRITTEN','PUBLISHED','SUPERSEDED'));
alter table publications drop constraint publications_state_check, add constraint publications_state_check
  check (state in ('NONE','PENDING','WRITTEN','PUBLISHED','SUPERSEDED'));
alter table publications
  drop column assets,
  drop column reason,
  drop column difference,
  add column asset_name text,
  add column asset_url text;
`;
