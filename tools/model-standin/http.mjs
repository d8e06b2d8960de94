const MAX_BODY = 16 * 1024 * 1024;

export function sendJson(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

export async function readJson(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error(`the request is larger than ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Error('We could not parse the JSON body of your request.');
  }
}

export function startStream(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
}

/** One server-sent event; `name` is its `event:` line where the protocol has one. */
export function sendEvent(response, data, name) {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`);
}

/** Small deltas, never through the middle of a surrogate pair. */
export function pieces(text) {
  const points = Array.from(text);
  const size = Math.max(12, Math.ceil(points.length / 200));
  const out = [];
  for (let at = 0; at < points.length; at += size) out.push(points.slice(at, at + size).join(''));
  return out;
}

/** Text of a message's content, which is a string or a list of parts. */
export function textOf(content) {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => part?.text ?? '').join('\n') : '';
}
