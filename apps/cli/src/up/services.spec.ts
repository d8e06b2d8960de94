import { artifactStore } from './services';

test('without a store of the user, artifacts lie in the state folder', () => {
  for (const env of [{}, { ASSAY_ARTIFACTS: '' }, { ASSAY_S3_ENDPOINT: 'http://store', AWS_PROFILE: 'x' }]) {
    expect(artifactStore('/state/artifacts', env)).toEqual({ ASSAY_ARTIFACTS_DIR: '/state/artifacts' });
  }
});

test('a store of the user goes to the services with what reaches it, and without keys', () => {
  const named = {
    ASSAY_ARTIFACTS: 's3://bucket/prefix',
    ASSAY_S3_ENDPOINT: 'http://store:9000',
    ASSAY_S3_ACCESS_KEY_ID_FILE: '/keys/id',
    ASSAY_S3_SECRET_ACCESS_KEY_FILE: '/keys/secret',
    AWS_PROFILE: 'assay',
    AWS_SHARED_CREDENTIALS_FILE: '/home/me/.aws/credentials',
    AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/token',
  };
  const others = {
    AWS_ACCESS_KEY_ID: 'id-canary',
    AWS_SECRET_ACCESS_KEY: 'secret-canary',
    AWS_SESSION_TOKEN: 'session-canary',
    ASSAY_ARTIFACTS_DIR: '/elsewhere',
    OPENAI_API_KEY: 'sk-canary',
  };
  expect(artifactStore('/state/artifacts', { ...named, ...others })).toEqual(named);
});
