import { RequestError } from '@octokit/request-error';
import { githubFailure } from './github-failure';

/** What Octokit throws for an answer of GitHub. */
function answered(status: number, data: object): RequestError {
  const request = { method: 'POST', url: 'https://api.github.com/x', headers: {} } as const;
  const response = { status, url: request.url, headers: {}, data };
  return new RequestError('Validation Failed', status, { request, response });
}

test('a name that is taken on the release is told apart from every other refusal of 422', () => {
  const taken = {
    message: 'Validation Failed',
    errors: [{ resource: 'ReleaseAsset', code: 'already_exists', field: 'name' }],
  };
  expect(githubFailure(answered(422, taken), 'upload', 0)).toMatchObject({
    blame: 'infra',
    code: 'github_already_exists',
  });
  const other = { message: 'Validation Failed', errors: [{ resource: 'ReleaseAsset', code: 'missing_field' }] };
  expect(githubFailure(answered(422, other), 'upload', 0)).toMatchObject({ code: 'github_rejected' });
});
