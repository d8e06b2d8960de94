/** The registry that a reference names; Docker Hub where it names none. */
export function registryOf(reference: string): string {
  const [first = '', ...rest] = reference.split('/');
  return rest.length > 0 && namesHost(first) ? first : 'docker.io';
}

/**
 * A reference as a mirror of Docker Hub has it, below a prefix such as `mirror.example:5000/hub`; null for references to
 * another registry, which the mirror does not have.
 */
export function mirrored(reference: string, prefix: string): string | null {
  if (registryOf(reference) !== 'docker.io') return null;
  const path = reference.replace(/^docker\.io\//, '');
  return `${prefix.replace(/\/+$/, '')}/${path.includes('/') ? path : `library/${path}`}`;
}

/** A reference that names content instead of a tag: whatever the tag stands for now is not asked. */
export function byDigest(reference: string, digest: string): string {
  return `${reference.replace(/@.*$/, '').replace(/:[^/:]*$/, '')}@${digest}`;
}

/** As in Docker: a host has a dot, a port, or is `localhost`. */
function namesHost(part: string): boolean {
  return part.includes('.') || part.includes(':') || part === 'localhost';
}
