import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A trial may have reached its limit of tokens. A run has budgets of its own: frozen beside its manifest, because the sweep
 * asks at every pass and a manifest is large (null: it has none), and which of them was used up.
 */
export class TokenLimit1764448200000 implements MigrationInterface {
  name = 'TokenLimit1764448200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(UP);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(DOWN);
  }
}

const UP = `
alter table instances drop constraint instances_reached_limit_check, add constraint instances_reached_limit_check
  check (reached_limit in ('time','turns','cost','calls','tokens'));
alter table runs
  add column run_limits jsonb,
  add column budget_reached text,
  add constraint runs_budget_reached_check check (budget_reached in ('time','cost','calls','tokens'));
`;

/** A limit of tokens has no older name: to the older code it is one of calls. */
const DOWN = `
update instances set reached_limit = 'calls' where reached_limit = 'tokens';
alter table instances drop constraint instances_reached_limit_check, add constraint instances_reached_limit_check
  check (reached_limit in ('time','turns','cost','calls'));
alter table runs drop column budget_reached, drop column run_limits;
`;
