import { createHash } from 'node:crypto';

const nodeId = (kind, id) => Buffer.from(`${kind}:${id}`).toString('base64');

/** How GitHub shows things. `base` is the root of the API, e.g. http://127.0.0.1:4000. */
export function shapes(base) {
  const api = (repository) => `${base}/repos/${repository.name}`;
  const page = (repository) => `${base}/${repository.name}`;

  const user = (login = 'standin-user', id = 1) => {
    const url = `${base}/users/${login}`;
    return {
      login,
      id,
      node_id: nodeId('User', id),
      avatar_url: `${base}/avatars/${id}`,
      gravatar_id: '',
      url,
      html_url: `${base}/${login}`,
      followers_url: `${url}/followers`,
      following_url: `${url}/following{/other_user}`,
      gists_url: `${url}/gists{/gist_id}`,
      starred_url: `${url}/starred{/owner}{/repo}`,
      subscriptions_url: `${url}/subscriptions`,
      organizations_url: `${url}/orgs`,
      repos_url: `${url}/repos`,
      events_url: `${url}/events{/privacy}`,
      received_events_url: `${url}/received_events`,
      type: 'User',
      site_admin: false,
    };
  };

  const asset = (repository, release, one) => {
    const bytes = Buffer.from(one.content, 'base64');
    return {
      url: `${api(repository)}/releases/assets/${one.id}`,
      id: one.id,
      node_id: nodeId('ReleaseAsset', one.id),
      name: one.name,
      label: one.label,
      uploader: user(),
      content_type: one.contentType,
      state: one.state,
      size: bytes.length,
      digest: one.state === 'uploaded' ? `sha256:${createHash('sha256').update(bytes).digest('hex')}` : null,
      download_count: one.downloads,
      created_at: one.createdAt,
      updated_at: one.updatedAt,
      browser_download_url: `${page(repository)}/releases/download/${encodeURIComponent(release.tag)}/${one.name}`,
    };
  };

  const release = (repository, one) => {
    const url = `${api(repository)}/releases/${one.id}`;
    const tag = encodeURIComponent(one.tag);
    return {
      url,
      assets_url: `${url}/assets`,
      // The form that GitHub Enterprise Server has: uploads go elsewhere than the API, so it must be followed.
      upload_url: `${base}/api/uploads/repos/${repository.name}/releases/${one.id}/assets{?name,label}`,
      html_url: `${page(repository)}/releases/tag/${tag}`,
      id: one.id,
      author: user(),
      node_id: nodeId('Release', one.id),
      tag_name: one.tag,
      target_commitish: one.target,
      name: one.name,
      draft: one.draft,
      immutable: one.immutable,
      prerelease: one.prerelease,
      created_at: one.createdAt,
      updated_at: one.updatedAt,
      published_at: one.publishedAt,
      assets: one.assets.map((each) => asset(repository, one, each)),
      tarball_url: one.draft ? null : `${api(repository)}/tarball/${tag}`,
      zipball_url: one.draft ? null : `${api(repository)}/zipball/${tag}`,
      body: one.body,
    };
  };

  const object = (repository, { sha, type }) => ({ sha, type, url: `${api(repository)}/git/${type}s/${sha}` });

  const ref = (repository, name, target) => ({
    ref: name,
    node_id: nodeId('Ref', name),
    url: `${api(repository)}/git/${name}`,
    object: object(repository, target),
  });

  const tag = (repository, one) => ({
    node_id: nodeId('Tag', one.sha),
    sha: one.sha,
    url: `${api(repository)}/git/tags/${one.sha}`,
    tagger: one.tagger,
    object: object(repository, one.object),
    tag: one.tag,
    message: one.message,
    verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
  });

  const comment = (repository, number, one) => ({
    id: one.id,
    node_id: nodeId('IssueComment', one.id),
    url: `${api(repository)}/issues/comments/${one.id}`,
    html_url: `${page(repository)}/issues/${number}#issuecomment-${one.id}`,
    issue_url: `${api(repository)}/issues/${number}`,
    body: one.body,
    user: user(),
    created_at: one.createdAt,
    updated_at: one.updatedAt,
    author_association: 'NONE',
    performed_via_github_app: null,
  });

  return { asset, release, ref, tag, comment };
}
