import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lines that were sent are deleted after a while: found by when they were sent, whatever stands unsent among them. */
export class OutboxSent1764446400000 implements MigrationInterface {
  name = 'OutboxSent1764446400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('create index outbox_sent on outbox (sent_at) where sent_at is not null');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index outbox_sent');
  }
}
