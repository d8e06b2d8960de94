import { createHash } from 'node:crypto';
import { malformed } from './errors.mjs';

const MAX_REQUEST = 64 * 1024 * 1024;

/** Collects a request's body; rejects when it is larger than 64 MiB. */
export async function readBytes(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_REQUEST) throw malformed('the request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A JSON object; an empty body is one without members. */
export function parseJson(bytes) {
  if (bytes.length === 0) return {};
  let value;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw malformed();
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw malformed('Body should be a JSON object');
  return value;
}

/** Sends an answer; a GET whose entity tag the caller has already gets 304, which GitHub does not count. */
export function send(request, response, { status, body, headers = {} }) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const etag = `W/"${createHash('sha256').update(text).digest('hex')}"`;
  const fixed = { 'x-github-request-id': 'STANDIN', 'x-github-media-type': 'github.v3; format=json', ...headers };
  if (request.method === 'GET' && status === 200) {
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { ...fixed, etag });
      response.end();
      return;
    }
    fixed.etag = etag;
  }
  if (text !== '') fixed['content-type'] = 'application/json; charset=utf-8';
  response.writeHead(status, fixed);
  response.end(text);
}

/** Cuts a list into pages (page, per_page: 30 by default, 100 at most) with a Link header. */
export function pager(url) {
  return (items) => {
    const size = Math.min(Math.max(Number(url.searchParams.get('per_page') ?? 30) || 30, 1), 100);
    const page = Math.max(Number(url.searchParams.get('page') ?? 1) || 1, 1);
    const last = Math.max(Math.ceil(items.length / size), 1);
    const link = (to, rel) => {
      const target = new URL(url);
      target.searchParams.set('page', String(to));
      return `<${target.href}>; rel="${rel}"`;
    };
    const links = [];
    if (page > 1) links.push(link(page - 1, 'prev'), link(1, 'first'));
    if (page < last) links.push(link(page + 1, 'next'), link(last, 'last'));
    return {
      items: items.slice((page - 1) * size, page * size),
      headers: links.length > 0 ? { link: links.join(', ') } : {},
    };
  };
}
