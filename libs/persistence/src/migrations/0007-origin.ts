import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where a run came from (the request as received, rule, plan, release, caller), what its ref was resolved to, since when it
 * waits for its package, and why it was never measured.
 */
export class Origin1764489600000 implements MigrationInterface {
  name = 'Origin1764489600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(UP);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(DOWN);
  }
}

const UP = `
alter table runs
  add column origin jsonb,
  add column evaluated_commit text,
  add column package_version text,
  add column package_since timestamptz,
  add column failure jsonb;
update runs set evaluated_commit = manifest -> 'evaluated' ->> 'commit',
  package_version = manifest -> 'evaluated' ->> 'packageVersion'
where manifest is not null;
`;

const DOWN = `
alter table runs
  drop column origin,
  drop column evaluated_commit,
  drop column package_version,
  drop column package_since,
  drop column failure;
`;
