/** Jest global tear-down: stops what global-setup.cjs started. */
module.exports = async () => {
  const started = globalThis.assayTestPostgres;
  if (started === undefined) return;
  const { rm } = await import('node:fs/promises');
  await started.server.stop();
  await rm(started.dir, { recursive: true, force: true });
};
