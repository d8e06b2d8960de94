const escaped = (text) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

/**
 * The two pages that links of the API lead to: a release to look at, and an asset to download.
 * @returns {boolean} false: not such a path
 */
export function servePage(state, path, response) {
  const [, name, kind, rest] = /^\/([^/]+\/[^/]+)\/releases\/(tag|download)\/(.+)$/.exec(path) ?? [];
  if (name === undefined) return false;
  const [tag, file] = kind === 'tag' ? [rest] : rest.split('/');
  const release = state.repository(name)?.releases.find((one) => one.tag === decodeURIComponent(tag) && !one.draft);
  const asset = release?.assets.find((one) => one.name === file && one.state === 'uploaded');
  if (release === undefined || (kind === 'download' && asset === undefined)) {
    response.writeHead(404, { 'content-type': 'text/plain' });
    response.end('Not Found\n');
    return true;
  }
  if (kind === 'download') {
    asset.downloads += 1;
    response.writeHead(200, { 'content-type': asset.contentType, 'x-content-type-options': 'nosniff' });
    response.end(Buffer.from(asset.content, 'base64'));
    return true;
  }
  const links = release.assets.map(
    (one) =>
      `<li><a href="../download/${encodeURIComponent(release.tag)}/${escaped(one.name)}">${escaped(one.name)}</a>`,
  );
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>${escaped(release.tag)}</title>
<style>body{font:16px sans-serif;max-width:60em;margin:2em auto}pre{white-space:pre-wrap}</style>
<p>A stand-in of GitHub, not GitHub.</p><h1>${escaped(release.name ?? release.tag)}</h1>
<pre>${escaped(release.body ?? '')}</pre><ul>${links.join('')}</ul>\n`);
  return true;
}
