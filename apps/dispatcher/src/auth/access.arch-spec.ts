import 'reflect-metadata';
import { DynamicModule } from '@nestjs/common';
import { loadConfig } from '@assay/service-kit';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppModule } from '../app.module';
import { configSchema } from '../config';
import { Access } from './access';
import { type Need, NEED } from './needs';

type Controller = NonNullable<DynamicModule['controllers']>[number];

interface Handler {
  readonly name: string;
  readonly guards: readonly unknown[];
  readonly need: Need | undefined;
}

/** What anybody may read: the keys that results are signed with. */
const OPEN = ['KeysController'];

function handlersOf(controller: Controller): Handler[] {
  const prototype = controller.prototype as Record<string, unknown>;
  return Object.getOwnPropertyNames(prototype).flatMap((method) => {
    const handler = prototype[method];
    if (typeof handler !== 'function' || Reflect.getMetadata('method', handler) === undefined) return [];
    const guards = [controller, handler].flatMap(
      (place) => (Reflect.getMetadata('__guards__', place) as unknown[] | undefined) ?? [],
    );
    const need = Reflect.getMetadata(NEED, handler) as Need | undefined;
    return [{ name: `${controller.name}.${method}`, guards, need }];
  });
}

function controllers(): Controller[] {
  const dir = mkdtempSync(join(tmpdir(), 'assay-access-'));
  try {
    writeFileSync(join(dir, 'token'), 'token', { mode: 0o600 });
    const config = loadConfig(configSchema, {
      ...{ DATABASE_URL: 'postgres://a/b', NATS_URL: 'nats://a:1', ASSAY_ARTIFACTS_DIR: dir, ASSAY_SUITES_DIR: dir },
      ASSAY_API_TOKEN_FILE: join(dir, 'token'),
    });
    return AppModule.of(config).controllers ?? [];
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const handlers = controllers().flatMap(handlersOf);

test('every handler but the open ones asks first who calls, and says what a caller needs', () => {
  expect(handlers.length).toBeGreaterThan(10);
  const guarded = handlers.filter(({ name }) => !OPEN.includes(name.split('.')[0] ?? ''));
  expect(guarded.filter(({ guards }) => guards[0] !== Access).map(({ name }) => name)).toEqual([]);
  expect(guarded.filter(({ need }) => need === undefined).map(({ name }) => name)).toEqual([]);
});

test('workflows are let into these handlers and no other', () => {
  const open = handlers.filter(({ need }) => need?.workflows === true).map(({ name }) => name);
  const releases = handlers.filter(({ need }) => need?.scope === 'releases:write').map(({ name }) => name);
  const own = ['cancel', 'instances', 'list', 'one', 'record'].map((method) => `RunsController.${method}`);
  expect(open.sort()).toEqual([...own, ...releases].sort());
});
