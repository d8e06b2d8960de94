import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * One answer of a transcript. `content` is a turn of the conversation; the others are faults. `actions` are put in the
 * words of whoever asks (see actions.mjs); `toolCalls` are sent as they stand.
 * @typedef {{run: string} | {read: string} | {write: {path: string, content: string}}} Action paths: in the repository
 * @typedef {{name: string, arguments: string | object}} ToolCall
 * @typedef {object} ContentTurn
 * @property {string | null} content
 * @property {Action[]} [actions] none in the list: the work is done
 * @property {ToolCall[]} [toolCalls]
 * @property {string} [finishReason]
 * @property {Usage | null} [usage] of this turn, before the transcript's
 * @typedef {{status: number, body?: unknown, headers?: Record<string, string>}} StatusFault
 * @typedef {{disconnect: true, content?: string}} DisconnectFault cut in the middle, after half of `content`
 * @typedef {{hangMs: number}} HangFault silent for so long, then cut
 * @typedef {StatusFault | DisconnectFault | HangFault} Fault
 * @typedef {ContentTurn | Fault} Turn
 *
 * @typedef {{prompt_tokens: number, completion_tokens: number, total_tokens?: number,
 *   prompt_tokens_details?: {cached_tokens?: number}}} Usage
 * @typedef {object} Transcript
 * @property {string} task instance id, as the line `Task: <id>` of the prompt has it
 * @property {Turn[]} turns
 * @property {boolean} [repeatLast] the last content turn answers everything after it too
 * @property {Usage | null} [usage] reported for every turn; left out: estimated from lengths; null: none is reported
 */

const KNOWN = ['task', 'turns', 'repeatLast', 'usage', 'description'];

/**
 * Reads every *.json of a folder.
 * @param {string} dir
 * @returns {Promise<Map<string, Transcript>>} by task; rejects naming the file of a malformed or doubled transcript
 */
export async function loadTranscripts(dir) {
  const transcripts = new Map();
  const files = (await readdir(dir)).filter((file) => file.endsWith('.json')).sort();
  for (const file of files) {
    const path = join(dir, file);
    let transcript;
    try {
      transcript = checked(JSON.parse(await readFile(path, 'utf8')));
    } catch (error) {
      throw new Error(`${path}: ${error.message}`);
    }
    if (transcripts.has(transcript.task)) throw new Error(`${path}: a second transcript of ${transcript.task}`);
    transcripts.set(transcript.task, transcript);
  }
  return transcripts;
}

function checked(value) {
  if (typeof value?.task !== 'string' || value.task === '') throw new Error('"task" must be an instance id');
  if (!Array.isArray(value.turns) || value.turns.length === 0) throw new Error('"turns" must be a non-empty list');
  const unknown = Object.keys(value).filter((key) => !KNOWN.includes(key));
  if (unknown.length > 0) throw new Error(`unknown keys: ${unknown.join(', ')}`);
  value.turns.forEach((turn, at) => {
    const kinds = [isContent(turn) && !turn.disconnect, 'status' in turn, turn.disconnect === true, 'hangMs' in turn];
    if (kinds.filter(Boolean).length !== 1) {
      throw new Error(`turns[${at}] must have exactly one of "content", "status", "disconnect": true, "hangMs"`);
    }
    checkActions(turn, at);
  });
  return value;
}

function checkActions({ actions, toolCalls }, at) {
  if (actions === undefined) return;
  if (toolCalls !== undefined) throw new Error(`turns[${at}] must not have both "actions" and "toolCalls"`);
  const fits = ({ run, read, write }) =>
    [run, read, write?.path].filter((text) => typeof text === 'string' && text !== '').length === 1 &&
    (write === undefined || typeof write.content === 'string');
  const wrong = Array.isArray(actions) ? actions.findIndex((action) => !fits(action ?? {})) : 0;
  if (wrong === -1) return;
  throw new Error(
    `turns[${at}].actions[${wrong}] must be one of {"run": command}, {"read": path}, {"write": {"path", "content"}}`,
  );
}

/** @param {Turn} turn */
export function isContent(turn) {
  return 'content' in turn && !('disconnect' in turn);
}

/**
 * Which turn answers. Content turns are numbered by the model's replies already in the conversation. Faults are not
 * numbered: those that stand right before content turn n are given once each, in order, to requests with n replies,
 * and then the content; faults with no content after them are given for ever (the last one repeats).
 * @param {Transcript} transcript
 * @param {number} replies
 * @param {number} seen how often this very conversation has been asked about before
 * @returns {Turn | null} null: the transcript has ended
 */
export function turnFor(transcript, replies, seen) {
  const contents = transcript.turns.flatMap((turn, at) => (isContent(turn) ? [at] : []));
  const at = contents[replies];
  const before = contents[replies - 1] ?? -1;
  if (at !== undefined) return transcript.turns[Math.min(before + 1 + seen, at)];
  const last = transcript.turns.at(-1);
  // A caller that keeps half an answer counts it as a reply when it asks again: what fails for ever still fails.
  if (replies > contents.length) return isContent(last) ? repeated(transcript, contents) : last;
  const faults = transcript.turns.slice(before + 1);
  return faults[Math.min(seen, faults.length - 1)] ?? repeated(transcript, contents);
}

function repeated(transcript, contents) {
  const last = contents.at(-1);
  return transcript.repeatLast === true && last !== undefined ? transcript.turns[last] : null;
}
