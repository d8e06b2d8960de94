import { isAbsolute, join } from 'node:path';

/**
 * What an agent calls its tools. The first name that a request offers is used; `shell` stands in where a kind has none.
 * @type {Record<'run' | 'read' | 'write', Record<string, (action: object, cwd: string) => object>>}
 */
const TOOLS = {
  run: {
    run_shell_command: ({ run }) => ({ command: run, is_background: false }),
    Bash: ({ run }) => ({ command: run, description: 'Run a command' }),
    bash: ({ run }) => ({ command: run, description: 'Run a command' }),
    exec_command: ({ run }) => ({ cmd: run }),
    shell_command: ({ run }) => ({ command: run }),
    shell: ({ run }) => ({ command: ['bash', '-c', run] }),
  },
  read: {
    read_file: ({ read }, cwd) => ({ file_path: absolute(cwd, read) }),
    Read: ({ read }, cwd) => ({ file_path: absolute(cwd, read) }),
    read: ({ read }, cwd) => ({ filePath: absolute(cwd, read) }),
  },
  write: {
    write_file: ({ write }, cwd) => ({ file_path: absolute(cwd, write), ...contentOf(write) }),
    Write: ({ write }, cwd) => ({ file_path: absolute(cwd, write), ...contentOf(write) }),
    write: ({ write }, cwd) => ({ filePath: absolute(cwd, write), ...contentOf(write) }),
  },
};

/** How the built-in agent hands in, and how mini-swe-agent does, which offers one tool and takes no reply without it. */
const SUBMIT = 'echo ASSAY_SUBMIT';
const SUBMIT_BY_TOOL = { run: 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT' };

/**
 * A turn in the words of whoever asks. Its actions become calls of the tools that the request offers, or, where it offers
 * none, one block of commands, as the built-in agent wants it; no actions at all mean that the work is done.
 * @param {import('./transcripts.mjs').ContentTurn} turn
 * @param {{tools: string[], prompts: string[]}} request
 * @returns {{content: string | null, calls: {name: string, arguments: string | object}[]}}
 */
export function rendered(turn, request) {
  if (turn.actions === undefined) return { content: turn.content, calls: turn.toolCalls ?? [] };
  if (request.tools.length === 0) return { content: withBlock(turn), calls: [] };
  const cwd = workingDirectory(request.prompts);
  const endsByTool = turn.actions.length === 0 && request.tools.join() === 'bash';
  const actions = endsByTool ? [SUBMIT_BY_TOOL] : turn.actions;
  return { content: turn.content, calls: actions.flatMap((action) => callOf(action, request.tools, cwd)) };
}

function callOf(action, offered, cwd) {
  const kind = kindOf(action);
  const name = Object.keys(TOOLS[kind]).find((one) => offered.includes(one));
  if (name !== undefined) return [{ name, arguments: TOOLS[kind][name](action, cwd) }];
  // A request that offers tools but no shell is about something else, a title say: the text answers it.
  return kind === 'run' ? [] : callOf({ run: asCommand(action) }, offered, cwd);
}

function withBlock({ content, actions }) {
  const commands = actions.length === 0 ? [SUBMIT] : actions.map(asCommand);
  return `${content ?? ''}\n\n\`\`\`bash\n${commands.join('\n')}\n\`\`\`\n`;
}

function asCommand(action) {
  const kind = kindOf(action);
  if (kind === 'run') return action.run;
  if (kind === 'read') return `cat ${quoted(action.read)}`;
  const { path, content } = action.write;
  return `cat > ${quoted(path)} <<'EOF'\n${content}${content.endsWith('\n') ? '' : '\n'}EOF`;
}

function kindOf(action) {
  return Object.keys(TOOLS).find((kind) => kind in action);
}

/** The line `Working directory: <path>` of the prompt; empty where there is none. */
function workingDirectory(prompts) {
  for (const prompt of prompts) {
    const found = /^Working directory: (\/.*?)[ \t\r]*$/m.exec(prompt);
    if (found !== null) return found[1];
  }
  return '';
}

function absolute(cwd, target) {
  const path = typeof target === 'string' ? target : target.path;
  return isAbsolute(path) ? path : join(cwd, path);
}

function contentOf({ content }) {
  return { content };
}

function quoted(path) {
  return /^[A-Za-z0-9._/-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
