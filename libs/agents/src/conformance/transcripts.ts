/** Tokens of the replies of the transcript `solve`: no two are alike, so that a sum tells which were counted. */
export const SOLVE_USAGE = [
  { prompt_tokens: 1_003, completion_tokens: 51, prompt_tokens_details: { cached_tokens: 0 } },
  { prompt_tokens: 2_017, completion_tokens: 67, prompt_tokens_details: { cached_tokens: 1_001 } },
  { prompt_tokens: 3_041, completion_tokens: 13, prompt_tokens_details: { cached_tokens: 2_002 } },
] as const;

const look = { content: 'I look.', actions: [{ read: 'a.txt' }, { run: 'ls' }] };
const mend = { content: 'I mend.', actions: [{ write: { path: 'a.txt', content: 'mended\n' } }] };
const done = { content: 'Done.', actions: [] };
const HANG = { hangMs: 3_600_000 };
const usage = { prompt_tokens: 100, completion_tokens: 10 };

/** What the stand-in says to agents under test. */
export function transcripts(): { readonly task: string; readonly [name: string]: unknown }[] {
  return [
    { task: 'solve', turns: [look, mend, done].map((turn, at) => ({ ...turn, usage: SOLVE_USAGE[at] })) },
    // Works for ever: meets its limit of turns, or its deadline.
    { task: 'loop', turns: [{ content: 'Again.', actions: [{ run: 'true' }] }], repeatLast: true, usage },
    // Works, and then its model never answers again.
    { task: 'deadline', turns: [{ content: 'I mend.', actions: [{ run: 'echo half > a.txt' }] }, HANG], usage },
    { task: 'refused', turns: [{ status: 401 }] },
    { task: 'throttled', turns: [{ status: 429, headers: { 'retry-after': '1' } }] },
    { task: 'broken', turns: [{ status: 500 }] },
    { task: 'cut', turns: [{ disconnect: true }] },
    { task: 'hang', turns: [HANG] },
    // Passing faults, and then the work.
    {
      task: 'bumpy',
      turns: [{ status: 429, headers: { 'retry-after': '1' } }, { status: 500 }, look, mend, done],
      usage,
    },
  ];
}
