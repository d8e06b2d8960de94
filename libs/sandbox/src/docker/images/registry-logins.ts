import { registryOf } from './reference';

/** User and password at a registry. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
}

/** By the registry's host, as names of images have it; Docker Hub is `docker.io`. */
export type RegistryLogins = ReadonlyMap<string, RegistryLogin>;

export const NO_LOGINS: RegistryLogins = new Map();

/** How the engine calls Docker Hub where it is told passwords. */
const HUB = 'https://index.docker.io/v1/';

/** What the engine is sent with a pull, in a header; nothing where there is no login. */
export function authFor(reference: string, logins: RegistryLogins) {
  const login = logins.get(registryOf(reference));
  return login === undefined ? {} : { authconfig: { ...login, serveraddress: addressOf(registryOf(reference)) } };
}

/** What the engine is sent with a build, in a header: a Dockerfile may begin with any image. */
export function authForBuilds(logins: RegistryLogins) {
  if (logins.size === 0) return {};
  return { registryconfig: Object.fromEntries([...logins].map(([host, login]) => [addressOf(host), { ...login }])) };
}

function addressOf(host: string): string {
  return host === 'docker.io' ? HUB : host;
}
