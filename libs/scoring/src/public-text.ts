const MARK = '[redacted]';

/**
 * What secrets look like, whoever issued them. Every repetition that may fail has an end, so that megabytes of any text take
 * no longer than megabytes of prose. By value they are taken out where they are known: at writing.
 */
const SECRETS: readonly RegExp[] = [
  /\bgh[pousr]_[A-Za-z0-9]{20,255}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,255}/g,
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bassay-[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g,
  /\bAIza[0-9A-Za-z_-]{35}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bnpm_[A-Za-z0-9]{36}/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{10,500}\.[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,}/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
];

/** `Authorization: Bearer …`: the scheme stays, what follows goes. */
const BEARER = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{16,}/gi;
/** `scheme://user:password@host`. */
const URL_PASSWORD = /\b([a-z][a-z0-9+.-]{0,29}:\/\/[^\s:/@"']{0,200}):[^\s/@"']{1,500}@/gi;
/** An absolute path of at least two steps; not the path of a URL. */
const PATH = /(?<![\w.:/@~-])\/(?:[\w.@+~-]+\/)+([\w.@+~-]*)/g;
/** `scheme://host:port/…` of a machine that the public cannot reach: its address is our configuration. */
const INSIDE =
  /\b[a-z][a-z0-9+.-]{0,29}:\/\/(?:[^\s/@"']{0,200}@)?(?:localhost|\[::1\]|127\.[\d.]+|10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|[\w-]+(?=[:/\s]|$)|[\w.-]+\.(?:internal|local|svc|lan|cluster\.local))(?::\d+)?(?:\/[^\s"')\]]*)?/gi;

/** The text without anything that looks like a secret. Lengths change; line breaks outside of keys stay. */
export function withoutSecrets(text: string): string {
  const plain = SECRETS.reduce((kept, pattern) => kept.replace(pattern, MARK), text);
  return plain.replace(BEARER, `$1 ${MARK}`).replace(URL_PASSWORD, `$1:${MARK}@`);
}

/** A path up to a folder of ours on the machine of a service: which one it is tells how a deployment is laid out. */
const OUR_FOLDER = /(?<![\w.:/@~-])\/(?:[\w.@+~-]+\/)*?(?:\.assay|assay-[\w.-]*)(?=[/\s"'\\,;:)\]]|$)/g;

/** Text of a trial as the public may read it: without what looks like a secret, and without where our folders are. */
export function publicText(text: string): string {
  return withoutSecrets(text).replace(OUR_FOLDER, '[…]');
}

/** The longest cause that is published, in characters. */
const LONGEST_CAUSE = 500;

/**
 * A failure's message as the public may read it: the real cause in one line, without secrets, without paths of our
 * machines (the last step of each stays) and without addresses inside our network. At most 500 characters.
 */
export function publicCause(message: string): string {
  const line = withoutSecrets(message.slice(0, 8000))
    .replace(INSIDE, '[address]')
    .replace(PATH, '[…]/$1')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= LONGEST_CAUSE ? line : `${line.slice(0, LONGEST_CAUSE - 1)}…`;
}
