/** The first line of a command's output that ends the agent's work. */
export const SUBMIT_MARK = 'ASSAY_SUBMIT';

/** How the agent is told to work: one command a turn. */
export const SYSTEM_PROMPT = [
  'You mend a software repository by running shell commands.',
  '',
  'In every reply write a short thought, then exactly one fenced block that begins with ```bash and holds the commands to',
  'run. They run with bash in the working directory of the repository; every reply starts a new shell, so `cd` and',
  'variables do not last. You are shown the exit code and the output, and then it is your turn again.',
  '',
  `When the work is done, reply with one block that prints ${SUBMIT_MARK} as the first line of its output:`,
  '',
  '```bash',
  `echo ${SUBMIT_MARK}`,
  '```',
].join('\n');

/** What the agent is told when its reply holds no single command block. */
export const NO_COMMAND = 'Your reply holds no ```bash block. Reply with exactly one.';

/** The commands of a reply: its one bash block. Null when there is none or more than one. */
export function commandOf(reply: string): string | null {
  const blocks = [...reply.matchAll(/^```(?:bash|sh)[^\S\n]*\n([\s\S]*?)\n?^```[^\S\n]*$/gm)];
  const [first] = blocks;
  return blocks.length === 1 && first?.[1] !== undefined && first[1].trim() !== '' ? first[1] : null;
}
