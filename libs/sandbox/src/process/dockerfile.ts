import { posix } from 'node:path';
import { TaskError } from '@assay/failures';
import { dockerfileLines, type DockerfileLine } from './dockerfile-lines';
import { expand, splitWords } from './dockerfile-words';

export type DockerfileStep =
  | { readonly kind: 'workdir'; readonly dir: string }
  | { readonly kind: 'copy'; readonly sources: readonly string[]; readonly target: string; readonly line: number };

/** What a Dockerfile of the subset asks for. Paths are absolute, as the image would have them. */
export interface DockerfilePlan {
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly DockerfileStep[];
}

/**
 * Reads the subset of Dockerfiles that needs no image: ARG, one FROM, WORKDIR, COPY and ENV.
 * @param hostEnv what `$NAME` stands for where the file does not set it (the sandbox's own minimum)
 * @throws TaskError `dockerfile_needs_docker`, naming the line, for everything else
 */
export function readDockerfile(text: string, hostEnv: Readonly<Record<string, string>>): DockerfilePlan {
  const reader = new Reader(hostEnv);
  for (const line of dockerfileLines(text)) reader.take(line);
  return reader.plan();
}

class Reader {
  private workdir = '/';
  private fromSeen = false;
  private readonly args: Record<string, string> = {};
  private readonly env: Record<string, string> = {};
  private readonly steps: DockerfileStep[] = [];

  constructor(private readonly hostEnv: Readonly<Record<string, string>>) {}

  plan(): DockerfilePlan {
    if (!this.fromSeen) throw refusal({ number: 1, keyword: 'FROM', rest: '' }, 'has no FROM line');
    return { workdir: this.workdir, env: this.env, steps: this.steps };
  }

  take(line: DockerfileLine): void {
    if (!this.fromSeen && line.keyword !== 'ARG' && line.keyword !== 'FROM') {
      throw refusal(line, `has ${line.keyword} before FROM`);
    }
    switch (line.keyword) {
      case 'ARG':
        this.argument(line);
        return;
      case 'FROM':
        if (this.fromSeen) throw refusal(line, 'has more than one FROM');
        this.fromSeen = true;
        return;
      case 'WORKDIR':
        this.workdir = posix.resolve(this.workdir, this.expanded(line.rest.trim()));
        this.steps.push({ kind: 'workdir', dir: this.workdir });
        return;
      case 'ENV':
        this.environment(line);
        return;
      case 'COPY':
        this.copy(line);
        return;
      default:
        throw refusal(line, `needs ${line.keyword}`);
    }
  }

  private argument(line: DockerfileLine): void {
    for (const word of splitWords(line.rest)) {
      const equals = word.indexOf('=');
      if (equals > 0) this.args[word.slice(0, equals)] = this.expanded(word.slice(equals + 1));
    }
  }

  private environment(line: DockerfileLine): void {
    const words = splitWords(line.rest);
    const [first, ...others] = words;
    if (first === undefined) throw refusal(line, 'has an empty ENV');
    if (!first.includes('=')) {
      // The old form: one name, then the rest of the line.
      if (others.length === 0) throw refusal(line, 'has an ENV without value');
      this.env[first] = this.expanded(line.rest.trim().slice(first.length).trim());
      return;
    }
    const before = this.expanded.bind(this);
    const pairs = words.map((word): [string, string] => {
      const equals = word.indexOf('=');
      if (equals < 1) throw refusal(line, `has an ENV that is no NAME=value: ${word}`);
      return [word.slice(0, equals), before(word.slice(equals + 1))];
    });
    for (const [name, value] of pairs) this.env[name] = value;
  }

  private copy(line: DockerfileLine): void {
    const words = splitWords(line.rest).map((word) => this.expanded(word));
    const flag = words.find((word) => word.startsWith('--'));
    if (flag !== undefined) throw refusal(line, `has COPY with ${flag}`);
    if (line.rest.trim().startsWith('[') || line.rest.includes('<<')) throw refusal(line, 'has COPY in another form');
    const target = words.at(-1);
    const sources = words.slice(0, -1);
    if (target === undefined || sources.length === 0) throw refusal(line, 'has COPY without source or target');
    for (const source of sources) {
      if (/[*?[\]]/.test(source)) throw refusal(line, `has a wildcard in COPY: ${source}`);
      if (posix.normalize(source).startsWith('..')) throw refusal(line, `copies from outside its folder: ${source}`);
    }
    const folder = target.endsWith('/') || target === '.' || sources.length > 1;
    const absolute = posix.resolve(this.workdir, target);
    this.steps.push({ kind: 'copy', sources, target: folder ? `${absolute}/` : absolute, line: line.number });
  }

  private expanded(text: string): string {
    return expand(text, { ...this.hostEnv, ...this.args, ...this.env });
  }
}

function refusal(line: DockerfileLine, what: string): TaskError {
  return new TaskError(
    `the Dockerfile ${what} (line ${line.number}), which the process sandbox cannot do: it needs the docker sandbox`,
    { code: 'dockerfile_needs_docker', phase: 'prepare', details: { line: line.number, keyword: line.keyword } },
  );
}
