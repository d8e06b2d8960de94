import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unreadable } from './unreadable';

/** Which files hold the predictions of a path, and in which format. */
export type Located =
  | { readonly format: 'json' | 'lines'; readonly file: string }
  /** SWE-agent's `<id>/<id>.pred`, sorted. */
  | { readonly format: 'files'; readonly files: readonly string[] };

const WANTED = 'a folder, or a file that ends in .json, .jsonl, .jsonl.gz or .pred';

/**
 * Looks where the predictions of a path are. In a folder: `preds.json` (mini-swe-agent, SWE-agent), else
 * `all_preds.jsonl`, else every `*.pred` at any depth (SWE-agent before its merge).
 * @throws TaskError `predictions_unreadable`
 */
export async function locatePredictions(path: string): Promise<Located> {
  const found = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, (cause as Error).message, cause);
  });
  if (!found.isDirectory()) return ofFile(path);
  const names = await readdir(path);
  for (const name of ['preds.json', 'all_preds.jsonl', 'all_preds.jsonl.gz']) {
    if (names.includes(name)) return ofFile(join(path, name));
  }
  const files = (await readdir(path, { recursive: true })).filter((name) => name.endsWith('.pred'));
  if (files.length > 0) return { format: 'files', files: files.sort().map((name) => join(path, name)) };
  throw unreadable(path, 'the folder has no preds.json, no all_preds.jsonl and no *.pred');
}

function ofFile(file: string): Located {
  if (file.endsWith('.json')) return { format: 'json', file };
  if (/\.jsonl(\.gz)?$/.test(file)) return { format: 'lines', file };
  if (file.endsWith('.pred')) return { format: 'files', files: [file] };
  throw unreadable(file, `expected ${WANTED}`);
}

/**
 * The trajectory that belongs to a prediction: mini-swe-agent's `<id>/<id>.traj.json` or SWE-agent's `<id>/<id>.traj`
 * beside the file of predictions, or either right beside it, as it is with `<id>.pred`. Null: there is none.
 * @param file the file that holds the prediction
 */
export async function trajectoryOf(file: string, instanceId: string): Promise<string | null> {
  const root = dirname(file);
  for (const folder of [join(root, instanceId), root]) {
    for (const ending of ['.traj.json', '.traj']) {
      const candidate = join(folder, `${instanceId}${ending}`);
      if (await isFile(candidate)) return candidate;
    }
  }
  return null;
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    (error: unknown) => {
      if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
      throw error;
    },
  );
}
