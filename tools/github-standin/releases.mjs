import { invalid, notFound, unprocessable } from './errors.mjs';
import { shaOf } from './state.mjs';

/** Measured by others, not in GitHub's description: characters, the whole body. */
export const MAX_BODY_CHARACTERS = 125_000;

export function findRelease(repository, id) {
  const found = repository.releases.find((release) => String(release.id) === id);
  if (found === undefined) throw notFound();
  return found;
}

function checkBody(body) {
  if (typeof body === 'string' && Array.from(body).length > MAX_BODY_CHARACTERS) {
    const message = `body is too long (maximum is ${MAX_BODY_CHARACTERS} characters)`;
    throw invalid({ resource: 'Release', code: 'custom', field: 'body', message });
  }
}

/** A tag that does not exist yet is made where the release is published. */
function ensureTag(repository, release) {
  const name = `refs/tags/${release.tag}`;
  if (release.draft || repository.refs[name] !== undefined) return;
  const branch = repository.refs[`refs/heads/${release.target}`];
  const sha = branch?.sha ?? (/^[0-9a-f]{40}$/.test(release.target) ? release.target : shaOf(release.target));
  repository.refs[name] = { sha, type: 'commit' };
}

function publish(repository, release, now) {
  if (release.draft) return;
  release.publishedAt ??= now;
  release.immutable ||= repository.immutableReleases;
  ensureTag(repository, release);
}

export const listReleases = ({ repository, shape, canWrite, paged }) => {
  const visible = repository.releases.filter((release) => canWrite || !release.draft);
  const newest = [...visible].sort((a, b) => b.id - a.id);
  const { items, headers } = paged(newest);
  return { status: 200, headers, body: items.map((release) => shape.release(repository, release)) };
};

export const createRelease = ({ repository, shape, body, state, now }) => {
  if (typeof body.tag_name !== 'string' || body.tag_name === '') {
    throw invalid({ resource: 'Release', code: 'missing_field', field: 'tag_name' });
  }
  checkBody(body.body);
  const draft = body.draft === true;
  if (!draft && repository.releases.some((release) => release.tag === body.tag_name && !release.draft)) {
    throw invalid({ resource: 'Release', code: 'already_exists', field: 'tag_name' });
  }
  const release = {
    id: state.nextId(),
    tag: body.tag_name,
    target: body.target_commitish ?? 'main',
    name: body.name ?? null,
    body: body.body ?? null,
    draft,
    prerelease: body.prerelease === true,
    immutable: false,
    createdAt: now,
    updatedAt: now,
    publishedAt: null,
    assets: [],
  };
  repository.releases.push(release);
  publish(repository, release, now);
  return { status: 201, body: shape.release(repository, release) };
};

export const latestRelease = ({ repository, shape }) => {
  const full = repository.releases.filter((release) => !release.draft && !release.prerelease);
  const latest = full.sort((a, b) => b.id - a.id)[0];
  if (latest === undefined) throw notFound();
  return { status: 200, body: shape.release(repository, latest) };
};

export const releaseByTag = ({ repository, shape, params }) => {
  const found = repository.releases.find((release) => release.tag === params.tag && !release.draft);
  if (found === undefined) throw notFound();
  return { status: 200, body: shape.release(repository, found) };
};

export const releaseById = ({ repository, shape, params, canWrite }) => {
  const release = findRelease(repository, params.release_id);
  if (release.draft && !canWrite) throw notFound();
  return { status: 200, body: shape.release(repository, release) };
};

export const updateRelease = ({ repository, shape, params, body, now }) => {
  const release = findRelease(repository, params.release_id);
  checkBody(body.body);
  if (release.immutable && body.tag_name !== undefined && body.tag_name !== release.tag) {
    throw unprocessable('Cannot change the tag of an immutable release');
  }
  const same = (other) => other !== release && !other.draft && other.tag === body.tag_name;
  if (body.tag_name !== undefined && repository.releases.some(same)) {
    throw invalid({ resource: 'Release', code: 'already_exists', field: 'tag_name' });
  }
  release.tag = body.tag_name ?? release.tag;
  release.target = body.target_commitish ?? release.target;
  release.name = body.name ?? release.name;
  release.body = body.body ?? release.body;
  release.draft = body.draft ?? release.draft;
  release.prerelease = body.prerelease ?? release.prerelease;
  release.updatedAt = now;
  publish(repository, release, now);
  return { status: 200, body: shape.release(repository, release) };
};

export const deleteRelease = ({ repository, params }) => {
  const release = findRelease(repository, params.release_id);
  repository.releases = repository.releases.filter((other) => other !== release);
  return { status: 204 };
};
