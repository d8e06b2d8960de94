import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * One answer of a transcript. `content` is a turn of the conversation; the others are faults.
 * @typedef {{content: string | null, toolCalls?: {name: string, arguments: string | object}[], finishReason?: string}} ContentTurn
 * @typedef {{status: number, body?: unknown, headers?: Record<string, string>}} StatusFault
 * @typedef {{disconnect: true, content?: string}} DisconnectFault cut in the middle, after half of `content`
 * @typedef {{hangMs: number}} HangFault silent for so long, then cut
 * @typedef {StatusFault | DisconnectFault | HangFault} Fault
 * @typedef {ContentTurn | Fault} Turn
 *
 * @typedef {{prompt_tokens: number, completion_tokens: number, total_tokens?: number}} Usage
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
  });
  return value;
}

/** @param {Turn} turn */
export function isContent(turn) {
  return 'content' in turn && !('disconnect' in turn);
}

/**
 * Which turn answers. Content turns are numbered by the assistant messages already in the conversation. Faults are not
 * numbered: those that stand right before content turn n are given once each, in order, to requests with n assistant
 * messages, and then the content; faults with no content after them are given for ever (the last one repeats).
 * @param {Transcript} transcript
 * @param {number} assistantMessages
 * @param {number} seen how often this very conversation has been asked about before
 * @returns {Turn | null} null: the transcript has ended
 */
export function turnFor(transcript, assistantMessages, seen) {
  const contents = transcript.turns.flatMap((turn, at) => (isContent(turn) ? [at] : []));
  const at = contents[assistantMessages];
  const before = contents[assistantMessages - 1] ?? -1;
  if (at !== undefined) return transcript.turns[Math.min(before + 1 + seen, at)];
  if (assistantMessages > contents.length) return repeated(transcript, contents);
  const faults = transcript.turns.slice(before + 1);
  return faults[Math.min(seen, faults.length - 1)] ?? repeated(transcript, contents);
}

function repeated(transcript, contents) {
  const last = contents.at(-1);
  return transcript.repeatLast === true && last !== undefined ? transcript.turns[last] : null;
}
