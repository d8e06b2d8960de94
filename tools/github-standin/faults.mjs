/**
 * A fault that a test scripts. It takes the first `times` requests that match, after letting `skip` of them pass.
 * - answer: this answer, nothing is done (rate limits: 403 or 429 with a retry-after header)
 * - starter: an upload answers 502 and leaves an empty asset in state `starter`
 * - cut: the connection is cut and nothing is done
 * - lost: all is done, then the connection is cut before the answer
 * - edit: all is done, then a person edits the release's body, and only then the answer is sent
 * - hang: the request is held until the stand-in stops or its caller gives up
 * @typedef {object} Fault
 * @property {'answer' | 'starter' | 'cut' | 'lost' | 'edit' | 'hang'} kind
 * @property {string} [method] any by default
 * @property {string} [path] regular expression on the path; any by default
 * @property {number} [times] 1 by default
 * @property {number} [skip] 0 by default
 * @property {number} [status] of an answer
 * @property {unknown} [body] of an answer
 * @property {Record<string, string>} [headers] of an answer
 * @property {{repository: string, releaseId: number, body?: string, append?: string, prepend?: string}} [edit]
 */
export class Faults {
  /** @type {Fault[]} */
  #faults = [];

  /** @param {Fault} fault */
  add(fault) {
    const kinds = ['answer', 'starter', 'cut', 'lost', 'edit', 'hang'];
    if (!kinds.includes(fault.kind)) throw new Error(`kind must be one of ${kinds.join(', ')}`);
    if (fault.kind === 'answer' && typeof fault.status !== 'number') throw new Error('an answer needs a status');
    if (fault.kind === 'edit' && fault.edit === undefined) throw new Error('an edit needs "edit"');
    this.#faults.push({ times: 1, skip: 0, ...fault });
  }

  clear() {
    this.#faults = [];
  }

  /** The fault of this request, which is used up by it; null: none. @returns {Fault | null} */
  take(method, path) {
    for (const fault of this.#faults) {
      if (fault.method !== undefined && fault.method !== method) continue;
      if (fault.path !== undefined && !new RegExp(fault.path).test(path)) continue;
      if (fault.skip > 0) {
        fault.skip -= 1;
        continue;
      }
      fault.times -= 1;
      if (fault.times <= 0) this.#faults.splice(this.#faults.indexOf(fault), 1);
      return fault;
    }
    return null;
  }
}

/** A person's edit of a release body, as if by the web page. */
export function editBody(state, { repository, releaseId, body, append = '', prepend = '' }) {
  const release = state.repository(repository)?.releases.find(({ id }) => id === releaseId);
  if (release === undefined) throw new Error(`no release ${releaseId} in ${repository}`);
  release.body = `${prepend}${body ?? release.body ?? ''}${append}`;
  release.updatedAt = new Date().toISOString();
}
