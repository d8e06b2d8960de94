import { invalid, notFound, unprocessable } from './errors.mjs';
import { findRelease } from './releases.mjs';

/** The documented limit of assets a release holds. */
const MAX_ASSETS = 1000;

/**
 * GitHub renames files with special characters and with leading or trailing periods; how, it does not say. This is the
 * observed manner: a period for each run of other characters, `default` before a leading period, none at the end.
 */
export function assetName(asked) {
  const plain = asked.replace(/[^A-Za-z0-9@+._-]+/g, '.').replace(/\.+$/, '');
  return plain.startsWith('.') || plain === '' ? `default${plain}` : plain;
}

function findAsset(repository, id) {
  for (const release of repository.releases) {
    const asset = release.assets.find((one) => String(one.id) === id);
    if (asset !== undefined) return { release, asset };
  }
  throw notFound();
}

function refuseImmutable(release, verb) {
  if (release.immutable) throw unprocessable(`Cannot ${verb} an immutable release`);
}

function add(release, { id, name, label, contentType, content, state, now }) {
  const asset = { id, name, label, state, contentType, content, createdAt: now, updatedAt: now, downloads: 0 };
  release.assets.push(asset);
  return asset;
}

export const listAssets = ({ repository, shape, params, paged }) => {
  const release = findRelease(repository, params.release_id);
  const { items, headers } = paged(release.assets);
  return { status: 200, headers, body: items.map((asset) => shape.asset(repository, release, asset)) };
};

export const uploadAsset = ({ repository, shape, params, query, bytes, contentType, state, now, fault }) => {
  const release = findRelease(repository, params.release_id);
  refuseImmutable(release, 'upload assets to');
  const asked = query.get('name');
  if (asked === null || asked === '') {
    throw invalid({ resource: 'ReleaseAsset', code: 'missing_field', field: 'name' });
  }
  const name = assetName(asked);
  if (release.assets.some((asset) => asset.name === name)) {
    throw invalid({ resource: 'ReleaseAsset', code: 'already_exists', field: 'name' });
  }
  if (release.assets.length >= MAX_ASSETS) throw unprocessable(`A release holds at most ${MAX_ASSETS} assets`);
  const common = { id: state.nextId(), name, label: query.get('label') ?? '', contentType, now };
  if (fault?.kind === 'starter') {
    add(release, { ...common, content: '', state: 'starter' });
    return { status: 502, body: { message: 'Server Error' } };
  }
  const asset = add(release, { ...common, content: bytes.toString('base64'), state: 'uploaded' });
  return { status: 201, body: shape.asset(repository, release, asset) };
};

export const assetById = ({ repository, shape, params, accept }) => {
  const { release, asset } = findAsset(repository, params.asset_id);
  if (!accept.includes('application/octet-stream')) {
    return { status: 200, body: shape.asset(repository, release, asset) };
  }
  if (asset.state !== 'uploaded') throw notFound();
  return { status: 302, headers: { location: shape.asset(repository, release, asset).browser_download_url } };
};

export const updateAsset = ({ repository, shape, params, body, now }) => {
  const { release, asset } = findAsset(repository, params.asset_id);
  refuseImmutable(release, 'change assets of');
  if (body.name !== undefined) {
    const name = assetName(body.name);
    if (release.assets.some((other) => other !== asset && other.name === name)) {
      throw invalid({ resource: 'ReleaseAsset', code: 'already_exists', field: 'name' });
    }
    asset.name = name;
  }
  asset.label = body.label ?? asset.label;
  asset.updatedAt = now;
  return { status: 200, body: shape.asset(repository, release, asset) };
};

export const deleteAsset = ({ repository, params }) => {
  const { release, asset } = findAsset(repository, params.asset_id);
  refuseImmutable(release, 'delete assets from');
  release.assets = release.assets.filter((other) => other !== asset);
  return { status: 204 };
};
