import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildSpec } from './children';
import { DEMO_REPOSITORY } from './demo-release.client';
import type { StateFolder } from './state-folder';

export interface StandIns {
  readonly children: readonly ChildSpec[];
  readonly githubUrl: string;
  /** Base address of the model: OPENAI_BASE_URL where it is set, else the stand-in. */
  readonly modelUrl: string;
  readonly modelKeyFile: string;
  readonly model: string;
}

/** The stand-in of GitHub, and the stand-in of a model unless OPENAI_BASE_URL, _API_KEY and _MODEL name a real one. */
export async function standInSpecs(
  root: string,
  state: StateFolder,
  githubTokenFile: string,
  freePort: () => Promise<number>,
): Promise<StandIns> {
  const path = { PATH: process.env['PATH'] ?? '' };
  const githubPort = await freePort();
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
  const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key, OPENAI_MODEL: model } = process.env;
  if (url !== undefined && key !== undefined && model !== undefined) {
    return { children: [github], githubUrl, modelUrl: url, modelKeyFile: state.secret('model-key', key), model };
  }
  const modelPort = await freePort();
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
