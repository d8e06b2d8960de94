import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a trial had spent by its last heartbeat, so that a run's budget is held against what its trials spend now. */
export class SpentSoFar1764504000000 implements MigrationInterface {
  name = 'SpentSoFar1764504000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table attempts add column spent_so_far jsonb');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table attempts drop column spent_so_far');
  }
}
