import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * @typedef {object} Asset
 * @property {number} id
 * @property {string} name
 * @property {string | null} label
 * @property {'uploaded' | 'starter'} state
 * @property {string} contentType
 * @property {string} content base64
 * @property {string} createdAt
 * @property {string} updatedAt
 * @property {number} downloads
 *
 * @typedef {object} Release
 * @property {number} id
 * @property {string} tag
 * @property {string} target
 * @property {string | null} name
 * @property {string | null} body
 * @property {boolean} draft
 * @property {boolean} prerelease
 * @property {boolean} immutable
 * @property {string} createdAt
 * @property {string} updatedAt
 * @property {string | null} publishedAt
 * @property {Asset[]} assets
 *
 * @typedef {{sha: string, type: 'commit' | 'tag' | 'tree' | 'blob'}} GitObject
 * @typedef {{sha: string, tag: string, message: string, object: GitObject, tagger: {name: string, email: string, date: string}}} TagObject
 *
 * @typedef {{id: number, body: string, createdAt: string, updatedAt: string}} Comment
 *
 * @typedef {object} Repository
 * @property {string} name owner/name
 * @property {boolean} immutableReleases what is published from now on is immutable
 * @property {Release[]} releases
 * @property {Record<string, GitObject>} refs by full name, e.g. refs/tags/v1.0.0
 * @property {Record<string, TagObject>} tagObjects by sha
 * @property {Record<string, {comments: Comment[]}>} [issues] by number
 */

/** Everything the stand-in remembers; with a file, over restarts too (written aside and renamed after each change). */
export class State {
  #file;
  #writing = Promise.resolve();
  #data = { nextId: 1000, repositories: /** @type {Record<string, Repository>} */ ({}) };

  /** @param {string | undefined} file */
  constructor(file) {
    this.#file = file === undefined ? undefined : resolve(file);
    if (this.#file !== undefined && existsSync(this.#file)) this.#data = JSON.parse(readFileSync(this.#file, 'utf8'));
  }

  nextId() {
    this.#data.nextId += 1;
    return this.#data.nextId;
  }

  /** Names are compared without regard to case, as GitHub does. @returns {Repository | undefined} */
  repository(name) {
    return this.#data.repositories[name.toLowerCase()];
  }

  /** @returns {Repository} made with a main branch where it is new */
  ensureRepository(name) {
    const key = name.toLowerCase();
    this.#data.repositories[key] ??= {
      name,
      immutableReleases: false,
      releases: [],
      refs: { 'refs/heads/main': { sha: shaOf(`${key} main`), type: 'commit' } },
      tagObjects: {},
    };
    return this.#data.repositories[key];
  }

  /** An issue that can be commented on. @param {number} number */
  ensureIssue(name, number) {
    const repository = this.ensureRepository(name);
    repository.issues ??= {};
    repository.issues[number] ??= { comments: [] };
  }

  /** All of it, without the content of assets. */
  view() {
    return JSON.parse(JSON.stringify(this.#data, (key, value) => (key === 'content' ? undefined : value)));
  }

  /** Resolves when the present state is on disk. */
  save() {
    const file = this.#file;
    if (file === undefined) return Promise.resolve();
    const text = JSON.stringify(this.#data);
    this.#writing = this.#writing.then(async () => {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(`${file}.new`, text, { mode: 0o600 });
      await rename(`${file}.new`, file);
    });
    return this.#writing;
  }
}

/** A name for an object, as git would give: 40 hexadecimal digits. */
export function shaOf(text) {
  return createHash('sha1').update(text).digest('hex');
}
