import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { notFound, undecodable, unprocessable } from './errors.mjs';

/** Seconds that GitHub lets lie between `iat` and `exp` of an App's own token, and by which clocks may differ. */
const LONGEST_PROOF = 600;
const CLOCKS_DIFFER = 60;

/**
 * A GitHub App on one installation: whoever signs with its private key gets tokens that end by themselves. They are in
 * memory only.
 */
export class AppTokens {
  #app;
  /** @type {Map<string, {expiresAt: number, permissions: Record<string, string>}>} */
  #tokens = new Map();

  /** @param {import('./server.d.mts').StandinApp | undefined} app */
  constructor(app) {
    this.#app = app;
  }

  /** What a token may do; null: no token of the App, or one that has ended. */
  permissionsOf(token) {
    const found = this.#tokens.get(token);
    return found === undefined || Date.now() >= found.expiresAt ? null : found.permissions;
  }

  /** All tokens so far are refused from now on. */
  revoke() {
    this.#tokens.clear();
  }

  /** POST /app/installations/{installation_id}/access_tokens */
  create({ authorization, params, body }) {
    this.#check(authorization);
    const {
      installationId,
      tokenSeconds = 3600,
      permissions: granted = { contents: 'write', metadata: 'read' },
    } = this.#app;
    if (params.installation_id !== String(installationId)) throw notFound();
    const permissions = body.permissions ?? granted;
    for (const [name, level] of Object.entries(permissions)) {
      if (granted[name] === 'write' || granted[name] === level) continue;
      throw unprocessable('The permissions requested are not granted to this installation.');
    }
    const token = `ghs_${randomBytes(18).toString('hex')}`;
    // Whole seconds, as GitHub tells them; never earlier than asked for.
    const expiresAt = Math.ceil((Date.now() + tokenSeconds * 1000) / 1000) * 1000;
    this.#tokens.set(token, { expiresAt, permissions });
    const told = new Date(expiresAt).toISOString().replace('.000Z', 'Z');
    return { status: 201, body: { token, expires_at: told, permissions, repository_selection: 'selected' } };
  }

  /** The App's own token: a JWT, signed with its key by RS256, issued by it, at most ten minutes long. */
  #check(authorization) {
    const [header, payload, signature] = (/^bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '').split('.');
    const { alg } = decoded(header);
    const { iss, iat, exp } = decoded(payload);
    if (this.#app === undefined || alg !== 'RS256' || signature === undefined) throw undecodable();
    const signed = verify(
      'RSA-SHA256',
      Buffer.from(`${header}.${payload}`),
      createPublicKey(this.#app.publicKey),
      Buffer.from(signature, 'base64url'),
    );
    if (!signed || String(iss) !== String(this.#app.id)) throw undecodable();
    const now = Date.now() / 1000;
    if (!Number.isInteger(iat) || iat > now + CLOCKS_DIFFER) {
      throw undecodable(
        "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
      );
    }
    if (!Number.isInteger(exp) || exp <= now) throw undecodable("'Expiration time' claim ('exp') is in the past");
    if (exp > now + LONGEST_PROOF + CLOCKS_DIFFER) {
      throw undecodable("'Expiration time' claim ('exp') is too far in the future");
    }
  }
}

function decoded(part) {
  try {
    return JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8')) ?? {};
  } catch {
    return {};
  }
}
