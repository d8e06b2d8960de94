import { parseImage } from '@assay/suites';

/** Where a registry's HTTP API answers for an image name. */
export interface RegistryAddress {
  /** `https://registry.example`, without a path. */
  readonly origin: string;
  readonly repository: string;
  readonly tag: string;
}

/** Docker Hub's name in image names, and the host that its API has. */
const HUB = 'docker.io';
const HUB_API = 'registry-1.docker.io';

/**
 * Where to ask for an image name, in this order: the mirror, for names of Docker Hub, then the registry itself. A registry on
 * this machine is asked without TLS, all others with it, as a Docker engine does. A name that is none gives no address.
 * @param mirror prefix such as `mirror.example:5000/hub`; null: none
 */
export function registryAddresses(image: string, mirror: string | null): readonly RegistryAddress[] {
  const parsed = parseImage(image);
  if (parsed === null) return [];
  const { path, tag } = splitTag(parsed.reference);
  const [first = '', ...rest] = path.split('/');
  const named = rest.length > 0 && namesHost(first);
  const host = named ? first : HUB;
  const inside = named ? rest.join('/') : path;
  if (host !== HUB) return [addressOf(host, inside, tag)];
  const repository = inside.includes('/') ? inside : `library/${inside}`;
  const hub = addressOf(HUB_API, repository, tag);
  if (mirror === null) return [hub];
  const [mirrorHost = '', ...prefix] = mirror.replace(/\/+$/, '').split('/');
  return [addressOf(mirrorHost, [...prefix, repository].join('/'), tag), hub];
}

function addressOf(host: string, repository: string, tag: string): RegistryAddress {
  const local = /^(localhost|127(\.\d+){3}|\[::1\])(:|$)/.test(host);
  return { origin: `${local ? 'http' : 'https'}://${host}`, repository, tag };
}

/** A colon after the last slash begins the tag; one before it is a port. */
function splitTag(reference: string): { readonly path: string; readonly tag: string } {
  const at = reference.lastIndexOf(':');
  return at > reference.lastIndexOf('/')
    ? { path: reference.slice(0, at), tag: reference.slice(at + 1) }
    : { path: reference, tag: 'latest' };
}

function namesHost(part: string): boolean {
  return part.includes('.') || part.includes(':') || part === 'localhost';
}
