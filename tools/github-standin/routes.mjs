import * as assets from './assets.mjs';
import * as git from './git.mjs';
import * as issues from './issues.mjs';
import * as releases from './releases.mjs';

const REPO = '/repos/{owner}/{repo}';

const createToken = ({ apps, ...request }) => apps.create(request);

/** [method, template as in GitHub's description, handler, host]. Uploads live on a host of their own. */
const TABLE = [
  ['GET', `${REPO}/releases`, releases.listReleases],
  ['POST', `${REPO}/releases`, releases.createRelease],
  ['GET', `${REPO}/releases/latest`, releases.latestRelease],
  ['GET', `${REPO}/releases/tags/{tag}`, releases.releaseByTag],
  ['GET', `${REPO}/releases/assets/{asset_id}`, assets.assetById],
  ['PATCH', `${REPO}/releases/assets/{asset_id}`, assets.updateAsset],
  ['DELETE', `${REPO}/releases/assets/{asset_id}`, assets.deleteAsset],
  ['GET', `${REPO}/releases/{release_id}/assets`, assets.listAssets],
  ['POST', `${REPO}/releases/{release_id}/assets`, assets.uploadAsset, 'uploads'],
  ['GET', `${REPO}/releases/{release_id}`, releases.releaseById],
  ['PATCH', `${REPO}/releases/{release_id}`, releases.updateRelease],
  ['DELETE', `${REPO}/releases/{release_id}`, releases.deleteRelease],
  ['GET', `${REPO}/issues/{issue_number}/comments`, issues.listComments],
  ['POST', `${REPO}/issues/{issue_number}/comments`, issues.createComment],
  ['GET', `${REPO}/git/ref/{ref}`, git.getRef],
  ['GET', `${REPO}/git/matching-refs/{ref}`, git.matchingRefs],
  ['POST', `${REPO}/git/refs`, git.createRef],
  ['PATCH', `${REPO}/git/refs/{ref}`, git.updateRef],
  ['DELETE', `${REPO}/git/refs/{ref}`, git.deleteRef],
  ['POST', `${REPO}/git/tags`, git.createTag],
  ['GET', `${REPO}/git/tags/{tag_sha}`, git.getTag],
  ['POST', '/app/installations/{installation_id}/access_tokens', createToken],
];

const ROUTES = TABLE.map(([method, template, handler, host = 'api']) => {
  const names = [];
  // Refs and tags may hold slashes, plain or encoded; nothing else may.
  const pattern = template.replace(/\{(\w+)\}/g, (_, name) => {
    names.push(name);
    return name === 'ref' || name === 'tag' ? '(.+)' : '([^/]+)';
  });
  return { method, template, handler, host, names, pattern: new RegExp(`^${pattern}$`) };
});

/** The route of a request, or null. @param {'api' | 'uploads'} host */
export function findRoute(method, path, host) {
  for (const route of ROUTES) {
    if (route.method !== method || route.host !== host) continue;
    const match = route.pattern.exec(path);
    if (match === null) continue;
    const params = Object.fromEntries(route.names.map((name, at) => [name, decodeURIComponent(match[at + 1])]));
    return { ...route, params };
  }
  return null;
}
