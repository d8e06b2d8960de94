import { invalid, notFound, unprocessable } from './errors.mjs';
import { shaOf } from './state.mjs';

const SHA = /^[0-9a-f]{40}$/;

export const getRef = ({ repository, shape, params }) => {
  const name = `refs/${params.ref}`;
  const target = repository.refs[name];
  if (target === undefined) throw notFound();
  return { status: 200, body: shape.ref(repository, name, target) };
};

export const matchingRefs = ({ repository, shape, params }) => {
  const found = Object.entries(repository.refs).filter(([name]) => name.startsWith(`refs/${params.ref}`));
  return { status: 200, body: found.map(([name, target]) => shape.ref(repository, name, target)) };
};

function typeOf(repository, sha) {
  if (typeof sha !== 'string' || !SHA.test(sha)) throw unprocessable('The sha parameter must be exactly 40 characters');
  return repository.tagObjects[sha] === undefined ? 'commit' : 'tag';
}

export const createRef = ({ repository, shape, body }) => {
  if (typeof body.ref !== 'string' || !/^refs\/[^/]+\/.+/.test(body.ref)) {
    throw unprocessable("Reference name must start with 'refs/' and contain at least two slashes");
  }
  if (repository.refs[body.ref] !== undefined) throw unprocessable('Reference already exists');
  repository.refs[body.ref] = { sha: body.sha, type: typeOf(repository, body.sha) };
  return { status: 201, body: shape.ref(repository, body.ref, repository.refs[body.ref]) };
};

export const updateRef = ({ repository, shape, params, body }) => {
  const name = `refs/${params.ref}`;
  if (repository.refs[name] === undefined) throw unprocessable('Reference does not exist');
  repository.refs[name] = { sha: body.sha, type: typeOf(repository, body.sha) };
  return { status: 200, body: shape.ref(repository, name, repository.refs[name]) };
};

export const deleteRef = ({ repository, params }) => {
  const name = `refs/${params.ref}`;
  if (repository.refs[name] === undefined) throw unprocessable('Reference does not exist');
  delete repository.refs[name];
  return { status: 204 };
};

/** A tag object; the reference that makes it a tag is made apart, as on GitHub. */
export const createTag = ({ repository, shape, body, now }) => {
  for (const field of ['tag', 'message', 'object', 'type']) {
    if (typeof body[field] !== 'string') throw invalid({ resource: 'Tag', code: 'missing_field', field });
  }
  const tag = addTag(repository, { ...body, object: { sha: body.object, type: body.type } }, now);
  return { status: 201, body: shape.tag(repository, tag) };
};

/** Tags can nest: the object of a tag may be a tag. */
export function addTag(repository, { tag, message, object, tagger }, now) {
  const made = {
    sha: shaOf(`${repository.name} ${tag} ${object.sha} ${message}`),
    tag,
    message,
    object,
    tagger: { name: 'standin-user', email: 'standin@example.com', date: now, ...tagger },
  };
  repository.tagObjects[made.sha] = made;
  return made;
}

export const getTag = ({ repository, shape, params }) => {
  const tag = repository.tagObjects[params.tag_sha];
  if (tag === undefined) throw notFound();
  return { status: 200, body: shape.tag(repository, tag) };
};
