import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The frozen build stands in a column of its own: the relay asks for it at every pass, and a manifest is large. Null:
 * any build may work on the run.
 */
export class RunBuild1764432000000 implements MigrationInterface {
  name = 'RunBuild1764432000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table runs add column build_digest text');
    await queryRunner.query("update runs set build_digest = manifest ->> 'buildDigest' where manifest is not null");
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table runs drop column build_digest');
  }
}
