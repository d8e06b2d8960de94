import { GithubApp, type GithubCredential, tokenCredential } from '@assay/github';
import { registerSecret } from '@assay/telemetry';
import type { PublisherConfig } from './config';
import { keyLines } from './github-credential-setting';
import { githubToken } from './github-token';

/** Who the publisher is at GitHub. */
export interface PublisherAccess {
  readonly credential: GithubCredential;
  /** What must never be let out, as it is now. */
  readonly secrets: () => readonly string[];
  /** Throws where there is nothing to show GitHub. */
  readonly check: () => void;
}

/**
 * By a GitHub App, or by the token in a file, as the settings say.
 * @param permissions what the App's tokens may do
 */
export function githubAccess(
  config: PublisherConfig,
  permissions: Readonly<Record<string, 'read' | 'write'>>,
): PublisherAccess {
  const { GITHUB_APP_ID: appId, GITHUB_APP_INSTALLATION_ID: installationId } = config;
  const { GITHUB_APP_PRIVATE_KEY_FILE: privateKey, GITHUB_TOKEN_FILE: file } = config;
  if (appId !== undefined && installationId !== undefined && privateKey !== undefined) {
    const made: string[] = [];
    const onToken = (token: string): void => {
      registerSecret(token);
      made.push(token);
      if (made.length > KNOWN_TOKENS) made.shift();
    };
    const app = { baseUrl: config.GITHUB_API_URL, appId, installationId, privateKey, permissions, onToken };
    const lines = keyLines(privateKey);
    return { credential: new GithubApp(app), secrets: () => [...lines, ...made], check: () => undefined };
  }
  if (file === undefined) throw new Error('a schema without oneGithubCredential let the publisher start');
  const token = (): string => githubToken(file);
  return { credential: tokenCredential(token), secrets: () => [token()], check: () => void token() };
}

/** Tokens live an hour: what is older is worth nothing to anybody. */
const KNOWN_TOKENS = 5;
