import { readDockerfile } from './dockerfile';

const FROM = 'ARG BASE_IMAGE=node:22-bookworm\nFROM ${BASE_IMAGE}\n';
const read = (text: string, env: Record<string, string> = {}) => readDockerfile(text, env);

describe('the subset of Dockerfiles that needs no image', () => {
  test('WORKDIR, COPY and ENV are read in order, relative paths against the WORKDIR of their line', () => {
    const plan = read(`${FROM}WORKDIR /srv\nWORKDIR app\nCOPY app/ ./\nCOPY a b /data/\nENV A=1 B="two words"\n`);
    expect(plan).toEqual({
      workdir: '/srv/app',
      env: { A: '1', B: 'two words' },
      steps: [
        { kind: 'workdir', dir: '/srv' },
        { kind: 'workdir', dir: '/srv/app' },
        { kind: 'copy', sources: ['app/'], target: '/srv/app/', line: 5 },
        { kind: 'copy', sources: ['a', 'b'], target: '/data/', line: 6 },
      ],
    });
  });

  test('comments, empty lines, small letters and continued lines are as in Docker', () => {
    const plan = read(`# syntax\n${FROM}\nenv A=1 \\\n  # between\n\n  B=2\nworkdir /x\n`);
    expect(plan).toMatchObject({ workdir: '/x', env: { A: '1', B: '2' } });
  });

  test('names are expanded by what stands before, never by what stands in the same ENV line', () => {
    const plan = read(`${FROM}ARG WHERE=/opt\nENV ROOT=$WHERE/x\nENV ROOT=/new PATH=\${ROOT}/bin:$PATH\n`, {
      PATH: '/usr/bin',
    });
    expect(plan.env).toEqual({ ROOT: '/new', PATH: '/opt/x/bin:/usr/bin' });
  });

  test('an unknown name is nothing, or its default', () => {
    expect(read(`${FROM}ENV A=[$NONE] B=\${NONE:-other}\n`).env).toEqual({ A: '[]', B: 'other' });
  });

  test('the old form of ENV takes the rest of its line', () => {
    expect(read(`${FROM}ENV GREETING hello there\n`).env).toEqual({ GREETING: 'hello there' });
  });

  test.each([
    ['RUN apt-get update', 4, 'RUN'],
    ['ADD x /', 4, 'ADD'],
    ['USER node', 4, 'USER'],
    ['CMD ["node"]', 4, 'CMD'],
    ['FROM other', 4, 'FROM'],
    ['COPY --from=build /a /b', 4, 'COPY'],
    ['COPY --chown=node a b', 4, 'COPY'],
    ['COPY *.js /app/', 4, 'COPY'],
    ['COPY ../secret /app/', 4, 'COPY'],
    ['COPY ["a b", "/app/"]', 4, 'COPY'],
    ['COPY only', 4, 'COPY'],
    ['ENV', 4, 'ENV'],
    ['ENV A=1 B', 4, 'ENV'],
    ['SHELL ["bash"]', 4, 'SHELL'],
  ])('%s is refused as a fault of the task that names its line', (instruction, line, keyword) => {
    expect(() => read(`${FROM}WORKDIR /app\n${instruction}\n`)).toThrow(
      expect.objectContaining({
        blame: 'task',
        code: 'dockerfile_needs_docker',
        message: expect.stringContaining(`line ${line}`) as string,
        details: { line, keyword },
      }) as Error,
    );
  });

  test('a file without FROM, or with something before it, is refused', () => {
    expect(() => read('ARG X=1\n')).toThrow(/FROM/);
    expect(() => read('WORKDIR /app\nFROM x\n')).toThrow(/before FROM/);
  });
});
