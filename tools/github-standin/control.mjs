import { parseJson, readBytes } from './http.mjs';
import { editBody } from './faults.mjs';
import { addTag } from './git.mjs';

/**
 * Endpoints under /_standin for tests and scripts; no part of GitHub.
 * - GET  /_standin/state, /_standin/requests, /_standin/problems
 * - POST /_standin/faults (see faults.mjs), DELETE /_standin/faults
 * - POST /_standin/repositories {repository, immutableReleases?}
 * - POST /_standin/edits {repository, releaseId, body?, append?, prepend?}: a person's edit
 * - POST /_standin/releases {repository, releaseId, immutable?, body?}: sets what the API cannot (a null body)
 * - POST /_standin/issues {repository, issue}: makes an issue that can be commented on
 * - POST /_standin/tags {repository, tag, commit, nested}: an annotated tag, `nested` tag objects deep
 * @returns {Promise<{status: number, body?: unknown}>}
 */
export async function control(standin, method, path, request) {
  const { state, faults, requests, problems } = standin;
  const what = `${method} ${path.slice('/_standin'.length)}`;
  const body = method === 'POST' ? parseJson(await readBytes(request)) : {};
  switch (what) {
    case 'GET /state':
      return { status: 200, body: state.view() };
    case 'GET /requests':
      return { status: 200, body: requests };
    case 'GET /problems':
      return { status: 200, body: problems };
    case 'POST /faults':
      faults.add(body);
      return { status: 201, body: {} };
    case 'DELETE /faults':
      faults.clear();
      return { status: 204 };
    case 'POST /repositories': {
      const repository = state.ensureRepository(body.repository);
      repository.immutableReleases = body.immutableReleases ?? repository.immutableReleases;
      return saved(state, {});
    }
    case 'POST /edits':
      editBody(state, body);
      return saved(state, {});
    case 'POST /releases':
      return saved(state, setRelease(state, body));
    case 'POST /issues':
      state.ensureIssue(body.repository, body.issue);
      return saved(state, {});
    case 'POST /tags':
      return saved(state, annotate(state, body));
    default:
      return { status: 404, body: { message: `no control endpoint ${what}` } };
  }
}

async function saved(state, body) {
  await state.save();
  return { status: 200, body };
}

function setRelease(state, { repository, releaseId, ...changes }) {
  const release = state.repository(repository)?.releases.find(({ id }) => id === releaseId);
  if (release === undefined) throw new Error(`no release ${releaseId} in ${repository}`);
  for (const key of ['immutable', 'body']) if (key in changes) release[key] = changes[key];
  return {};
}

function annotate(state, { repository: name, tag, commit, nested = 1 }) {
  const repository = state.ensureRepository(name);
  let object = { sha: commit, type: 'commit' };
  for (let depth = 0; depth < nested; depth += 1) {
    const made = addTag(repository, { tag, message: `level ${depth}`, object }, new Date().toISOString());
    object = { sha: made.sha, type: 'tag' };
  }
  repository.refs[`refs/tags/${tag}`] = object;
  return { sha: object.sha };
}
