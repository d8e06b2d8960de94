import { once } from 'node:events';

/** One container as anyone makes it: create, start, exec `true`, remove. */
export async function bareTrial(docker, imageId) {
  const container = await docker.createContainer({
    Image: imageId,
    Entrypoint: ['sleep'],
    Cmd: ['300'],
    HostConfig: { NetworkMode: 'none', Init: true, LogConfig: { Type: 'none', Config: {} } },
  });
  await container.start();
  const exec = await container.exec({ Cmd: ['true'], AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({ hijack: true, stdin: false });
  const ended = once(stream, 'close');
  stream.resume();
  await ended;
  const { ExitCode } = await exec.inspect();
  if (ExitCode !== 0) throw new Error(`true ended with ${ExitCode}`);
  await container.remove({ force: true, v: true });
}

/** The same through the port: what a trial waits for in `run`, what it leaves behind in `removed`. */
export function sealedTrial(provider, { imageId, socket }) {
  let serial = 0;
  const removals = [];
  const request = {
    epoch: 1,
    role: 'trial',
    image: { imageId, workdir: '/', contextDir: null },
    limits: { cpus: 2, memoryMb: 512, diskMb: 512, pids: 256 },
    network: { gateway: { socket, loopbackUrl: '' } },
    mounts: [],
    user: null,
    lifetimeSeconds: 300,
  };
  return {
    async run() {
      serial += 1;
      const key = { kind: 'trial', runId: 'bench', instanceId: `trial-${serial}`, sample: 0 };
      const sandbox = await provider.create({ ...request, key });
      const { exitCode } = await sandbox.exec({ command: ['true'], timeoutMs: 60_000, maxOutputBytes: 1_024 });
      if (exitCode !== 0) throw new Error(`true ended with ${exitCode}`);
      await sandbox.kill();
      removals.push(sandbox.destroy());
    },
    async removed() {
      await Promise.all(removals.splice(0));
    },
  };
}

/** Runs `trials` of them, `concurrency` at a time; resolves with the milliseconds of each and of all. */
export async function batch(run, { concurrency, trials }) {
  const times = [];
  let left = trials;
  const start = Date.now();
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const began = Date.now();
      await run();
      times.push(Date.now() - began);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, trials) }, worker));
  return { times, wallMs: Date.now() - start };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
