import { InfraError } from '@assay/failures';
import { readSecretFile, UnsafeSecretFile } from '@assay/service-kit';

/**
 * The token in a file, read anew: a short-lived token that is renewed in place is used without a restart.
 * @throws InfraError `github_token_unusable`
 */
export function githubToken(file: string): string {
  try {
    return readSecretFile(file);
  } catch (error) {
    if (!(error instanceof UnsafeSecretFile)) throw error;
    const options = { code: 'github_token_unusable', phase: 'publish', cause: error } as const;
    throw new InfraError(`the GitHub token cannot be used: ${error.message}`, options);
  }
}
