import type { ImageSource } from '@assay/contracts';
import { eventually } from '@assay/testing';
import { ImagesAhead, type ComingImages, type ImagesAheadOptions, type WantedImage } from './images-ahead';
import type { AheadContext, AheadOutcome, SandboxProvider } from './sandbox.port';

const pulled = (id: string): WantedImage => ({ id, image: { kind: 'reference', reference: id } });
const built = (id: string): WantedImage => ({ id, image: { kind: 'build', contextDigest: id as never } });

/** An engine that has what it made, and tells how it was asked. */
class Engine {
  readonly made: string[] = [];
  readonly needed: AheadContext['needed'][] = [];
  readonly contexts: (string | null)[] = [];
  outcome: (image: ImageSource, context: AheadContext) => Promise<AheadOutcome> = () => Promise.resolve('made');

  readonly provider = {
    hasImage: (image: ImageSource) => Promise.resolve(this.made.includes(JSON.stringify(image))),
    prepareAhead: async (image: ImageSource, contextDir: string | null, context: AheadContext) => {
      this.needed.push(context.needed);
      this.contexts.push(contextDir);
      const outcome = await this.outcome(image, context);
      if (outcome === 'made') this.made.push(JSON.stringify(image));
      return outcome;
    },
  } as unknown as SandboxProvider;

  get names(): string[] {
    return this.made.map((text) => (JSON.parse(text) as { reference?: string }).reference ?? 'built');
  }
}

describe('images of the trials that come next', () => {
  let engine: Engine;
  let lines: string[];
  let closed: number;
  beforeEach(() => {
    [engine, lines, closed] = [new Engine(), [], 0];
  });

  function aheadOf(
    coming: () => Promise<ComingImages<WantedImage>>,
    more: Partial<ImagesAheadOptions<WantedImage>> = {},
  ): ImagesAhead<WantedImage> {
    const write = (_fields: object, sentence: string): void => {
      lines.push(sentence);
    };
    return new ImagesAhead({
      provider: engine.provider,
      coming,
      open: ({ id }) =>
        Promise.resolve({
          contextDir: `/contexts/${id}`,
          close: () => {
            closed += 1;
            return Promise.resolve();
          },
        }),
      everyMs: 10,
      logger: { debug: write, info: write, warn: write },
      ...more,
    });
  }
  const coming = (next: WantedImage[], complete = true) => ({ next, needed: next.map(({ image }) => image), complete });

  test('are made one after the other in their order, once, with what open runs need', async () => {
    const next = [pulled('a'), pulled('b')];
    let running = 0;
    engine.outcome = async () => {
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      running -= 1;
      return 'made';
    };
    const ahead = aheadOf(() => Promise.resolve(coming(next)));
    await ahead.look();
    await ahead.look();
    expect(engine.names).toEqual(['a', 'b']);
    expect(engine.needed).toEqual([coming(next).needed, coming(next).needed]);
    expect(lines).toEqual(['Image made ready ahead of its trial', 'Image made ready ahead of its trial']);
  });

  test('slide with the trials: what is asked for next is what is made next', async () => {
    const windows = [[pulled('a'), pulled('b')], [pulled('b'), pulled('c')], [pulled('c')]];
    const ahead = aheadOf(() => Promise.resolve(coming(windows.shift() ?? [])));
    ahead.onApplicationBootstrap();
    await eventually(() => engine.names.length === 3);
    await ahead.beforeApplicationShutdown();
    expect(engine.names).toEqual(['a', 'b', 'c']);
  });

  test('that are built get their task’s context, and the context is removed whatever comes of it', async () => {
    await aheadOf(() => Promise.resolve(coming([built('d'), pulled('e')]))).look();
    expect(engine.contexts).toEqual(['/contexts/d', null]);
    engine.outcome = () => Promise.reject(new Error('no such instruction'));
    await aheadOf(() => Promise.resolve(coming([built('f')]))).look();
    expect(closed).toBe(2);
  });

  test('one that fails is told, rests, and keeps no other from being made', async () => {
    engine.outcome = (image) =>
      JSON.stringify(image).includes('bad') ? Promise.reject(new Error('no')) : Promise.resolve('made');
    const ahead = aheadOf(() => Promise.resolve(coming([pulled('bad'), pulled('good')])));
    await ahead.look();
    await ahead.look();
    expect(engine.names).toEqual(['good']);
    expect(engine.contexts).toHaveLength(2);
    expect(lines[0]).toBe('Image could not be made ready ahead of its trial; the trial will try itself');
    const patient = aheadOf(() => Promise.resolve(coming([pulled('bad')])), { restMs: 0 });
    await patient.look();
    await patient.look();
    expect(engine.contexts).toHaveLength(4);
  });

  test.each(['busy', 'paused', 'no_room', 'gave_way'] as const)(
    'one that is told %s is asked for again later',
    async (no) => {
      engine.outcome = () => Promise.resolve(no);
      const ahead = aheadOf(() => Promise.resolve(coming([pulled('a')])));
      await ahead.look();
      engine.outcome = () => Promise.resolve('made');
      await ahead.look();
      expect(engine.names).toEqual(['a']);
      expect(lines[0]).toBe('Image not made ready ahead of its trial now');
    },
  );

  test('nothing is taken for needless where not all that is needed was told', async () => {
    await aheadOf(() => Promise.resolve(coming([pulled('a')], false))).look();
    expect(engine.needed).toEqual([null]);
  });

  test('a coordinator that is away is no failure', async () => {
    await aheadOf(() => Promise.reject(new Error('away'))).look();
    expect(lines).toEqual(['Nobody could say which images come next']);
  });

  test('the end of the worker waits for no coordinator that is silent', async () => {
    const ahead = aheadOf(() => new Promise(() => undefined));
    ahead.onApplicationBootstrap();
    await ahead.beforeApplicationShutdown();
    expect(lines).toEqual([]);
  });

  test('the end of the worker ends what is made, and begins no other', async () => {
    engine.outcome = (_image, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    const ahead = aheadOf(() => Promise.resolve(coming([pulled('a'), pulled('b')])));
    ahead.onApplicationBootstrap();
    await eventually(() => engine.contexts.length === 1);
    await ahead.beforeApplicationShutdown();
    expect(engine.contexts).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  test('many looks leave nothing behind that waits for the worker to stop', async () => {
    const added = jest.spyOn(AbortSignal.prototype, 'addEventListener');
    const removed = jest.spyOn(AbortSignal.prototype, 'removeEventListener');
    const ahead = aheadOf(() => Promise.resolve({ next: [], needed: [], complete: true }));
    for (let looks = 0; looks < 20; looks += 1) await ahead.look();
    expect(added).toHaveBeenCalledTimes(20);
    expect(removed).toHaveBeenCalledTimes(20);
    jest.restoreAllMocks();
  });

  test('a worker that stops does not wait for the answer to which images come next', async () => {
    const ahead = aheadOf(() => new Promise(() => undefined));
    const looking = ahead.look();
    await ahead.beforeApplicationShutdown();
    await looking;
    await ahead.look();
    expect(lines).toEqual([]);
  });
});
