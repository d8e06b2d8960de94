/**
 * Jest global set-up: the servers that integration tests speak to. `npm test` starts one PostgreSQL for all projects
 * and names it in ASSAY_TEST_DATABASE_URL; a project tested alone starts its own here.
 */
module.exports = async () => {
  if (process.env.ASSAY_TEST_DATABASE_URL === undefined) {
    const { chmod, mkdtemp } = await import('node:fs/promises');
    const { tmpdir } = await import('node:os');
    const { join } = await import('node:path');
    const { startPostgres } = await import('../embedded/postgres.mjs');
    const dir = await mkdtemp(join(tmpdir(), 'assay-test-'));
    // As root the server is another user, whose data would be laid elsewhere, and stay, if it could not come here.
    await chmod(dir, 0o755);
    const server = await startPostgres({ dataDir: join(dir, 'pg'), fast: true });
    process.env.ASSAY_TEST_DATABASE_URL = server.url;
    globalThis.assayTestPostgres = { server, dir };
  }
  if (process.env.ASSAY_NATS_SERVER === undefined) {
    const { findNatsServer } = await import('../embedded/nats.mjs');
    process.env.ASSAY_NATS_SERVER = (await findNatsServer()).binary;
  }
};
