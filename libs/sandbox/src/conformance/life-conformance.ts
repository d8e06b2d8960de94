import { eventually } from '@assay/testing';
import { askedOnce } from '../reaping';
import { SandboxHarness, shell, workKeyOf, type Adapter } from './sandbox-harness';

/** How every sandbox ends, and how what nobody holds is found again. */
export function lifeConformance(adapter: Adapter): void {
  describe('ends', () => {
    const harness = new SandboxHarness(adapter);
    beforeAll(() => harness.open());
    afterAll(() => harness.close());

    test('kill ends what runs inside, and may be called again and at the same time', async () => {
      const sandbox = await harness.sandbox();
      let ready = false;
      const running = sandbox
        .exec(shell('echo up; sleep 60', { onOutput: () => (ready = true) }))
        .catch((error: unknown) => error);
      await eventually(() => ready);
      await Promise.all([sandbox.kill(), sandbox.kill()]);
      await sandbox.kill();
      await running;
    });

    test('destroy removes everything, and may be called again and at the same time', async () => {
      const sandbox = await harness.sandbox();
      await Promise.all([sandbox.destroy(), sandbox.destroy(), sandbox.destroy()]);
      await sandbox.destroy();
      await sandbox.kill();
      await expect(sandbox.exec(shell('true'))).rejects.toMatchObject({ blame: 'infra' });
    });

    test('creating the same work and epoch again takes the place of what an earlier try left', async () => {
      const key = workKeyOf('again');
      const first = await harness.sandbox({ key });
      await first.exec(shell('echo old > old.txt'));
      const second = await harness.sandbox({ key });
      expect(await second.list(second.workdir)).not.toContain('old.txt');
    });

    test('sandboxes of the same image do not see each other', async () => {
      const [one, two] = [await harness.sandbox(), await harness.sandbox()];
      await one.exec(shell('echo mine > mine.txt'));
      expect(await two.list(two.workdir)).not.toContain('mine.txt');
    });

    test('at the end of its lifetime a sandbox dies, whoever watches it', async () => {
      const sandbox = await harness.sandbox({ lifetimeSeconds: 1 });
      const started = Date.now();
      await sandbox.exec(shell('sleep 60')).catch(() => undefined);
      expect(Date.now() - started).toBeLessThan(15_000);
    });
  });

  describe('reaping', () => {
    const harness = new SandboxHarness(adapter);
    beforeAll(() => harness.open());
    afterAll(() => harness.close());

    test('another executor removes what has no live lease, keeps what has, and touches no other namespace', async () => {
      const [live, dead] = [workKeyOf('live'), workKeyOf('dead')];
      const kept = await harness.sandbox({ key: live, epoch: 3 });
      const lost = await harness.sandbox({ key: dead, epoch: 1 });
      const stale = await harness.sandbox({ key: live, epoch: 2 });
      const stranger = await harness.sandbox({ key: dead }, harness.foreign());
      await lost.exec(shell('(setsid sleep 300 &) >/dev/null 2>&1'));
      const removed = await harness.another().reap(askedOnce(() => Promise.resolve([{ key: live, epoch: 3 }])));
      expect(removed).toBe(2);
      expect((await kept.exec(shell('echo alive'))).output.toString()).toBe('alive\n');
      expect((await stranger.exec(shell('echo alive'))).output.toString()).toBe('alive\n');
      for (const gone of [lost, stale]) {
        expect(await gone.getFile(`${gone.workdir}/greeting.txt`, 100)).toBeNull();
      }
    });

    test('without an answer only what is past its deadline goes', async () => {
      const inTime = await harness.sandbox();
      await harness.sandbox({ lifetimeSeconds: 0.01 });
      await eventually(async () => (await harness.another().reap(null)) === 1);
      expect((await inTime.exec(shell('echo alive'))).output.toString()).toBe('alive\n');
    });

    test('the question which leases live is asked after the sandboxes were listed', async () => {
      await harness.another().reap(() => false);
      const provider = harness.another();
      const before = await harness.sandbox({ key: workKeyOf('before') });
      const started: unknown[] = [];
      const removed = await provider.reap(async () => {
        if (started.length === 0) started.push(await harness.sandbox({ key: workKeyOf('meanwhile') }));
        return false;
      });
      expect(removed).toBe(1);
      expect(await before.getFile(`${before.workdir}/greeting.txt`, 100)).toBeNull();
    });

    test('a liveness that throws removes nothing', async () => {
      const sandbox = await harness.sandbox();
      const asking = harness.another().reap(askedOnce(() => Promise.reject(new Error('no coordinator'))));
      await expect(asking).rejects.toThrow('no coordinator');
      expect((await sandbox.exec(shell('echo alive'))).output.toString()).toBe('alive\n');
    });
  });
}
