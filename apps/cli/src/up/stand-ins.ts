import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildSpec } from './children';
import { DEMO_REPOSITORY } from './demo-release.client';
import type { KeptPorts } from './kept-ports';
import type { ModelSettings } from './model-settings';
import type { StateFolder } from './state-folder';

export interface StandIns {
  readonly children: readonly ChildSpec[];
  readonly githubUrl: string;
  /** Base address of the model: the real one, or the stand-in. */
  readonly modelUrl: string;
  readonly modelKeyFile: string;
  readonly model: string;
}

/** The stand-in of GitHub, and the stand-in of a model unless there is a real one; each where it was the last time. */
export async function standInSpecs(
  root: string,
  state: StateFolder,
  githubTokenFile: string,
  { ports, model: real }: { readonly ports: KeptPorts; readonly model: ModelSettings | null },
): Promise<StandIns> {
  const path = { PATH: process.env['PATH'] ?? '' };
  const githubPort = await ports.portOf('github', 'the stand-in of GitHub');
  const github: ChildSpec = {
    name: 'github-standin',
    command: process.execPath,
    args: [
      join(root, 'tools/github-standin/bin.mjs'),
      '--port',
      String(githubPort),
      '--state',
      join(state.dir, 'github-standin.json'),
      '--repository',
      DEMO_REPOSITORY,
    ],
    env: { ...path, GITHUB_STANDIN_TOKEN: readFileSync(githubTokenFile, 'utf8') },
  };
  const githubUrl = `http://127.0.0.1:${githubPort}`;
  if (real !== null) {
    const { url, key, model } = real;
    return { children: [github], githubUrl, modelUrl: url, modelKeyFile: state.secret('model-key', key), model };
  }
  const modelPort = await ports.portOf('model', 'the stand-in of a model');
  const standInKey = randomBytes(16).toString('hex');
  const modelStandIn: ChildSpec = {
    name: 'model-standin',
    command: process.execPath,
    args: [
      join(root, 'tools/model-standin/bin.mjs'),
      '--port',
      String(modelPort),
      '--transcripts',
      join(root, 'examples/transcripts'),
    ],
    env: { ...path, MODEL_STANDIN_KEY: standInKey },
  };
  return {
    children: [github, modelStandIn],
    githubUrl,
    modelUrl: `http://127.0.0.1:${modelPort}/v1`,
    modelKeyFile: state.secret('model-key', standInKey),
    model: 'demo-model',
  };
}
