import { registerSecret } from '@assay/telemetry';
import { z } from 'zod';
import { readPrivateFile, UnsafeSecretFile } from './secret-file';
import { fileSetting } from './settings';

/** User and password at a registry. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
}

/** By the registry's host, as names of images have it; Docker Hub is `docker.io`. */
export type RegistryLogins = ReadonlyMap<string, RegistryLogin>;

/** The part of Docker's own config.json that holds logins. Programs that keep passwords are not run. */
const DockerConfig = z.object({
  auths: z.record(
    z.string(),
    z.object({ auth: z.string().optional(), username: z.string().optional(), password: z.string().optional() }),
  ),
  credsStore: z.undefined('expected none: programs that keep passwords are not run').optional(),
  credHelpers: z.undefined('expected none: programs that keep passwords are not run').optional(),
});

/** The variable names a file with logins of registries, checked as files with secrets are. */
export function registryLoginsFile() {
  const expected = "the path of a file like Docker's config.json with logins (mode 0600, 0440 or 0400, no link)";
  return fileSetting(expected, readRegistryLogins);
}

/**
 * Logins by registry, each password registered so that no log line shows it.
 * @throws UnsafeSecretFile for what `readPrivateFile` refuses and for what holds no logins; it never shows the content
 */
export function readRegistryLogins(file: string): RegistryLogins {
  const parsed = DockerConfig.safeParse(jsonIn(file));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UnsafeSecretFile(`${file} has no logins: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  return new Map(
    Object.entries(parsed.data.auths).map(([address, entry]) => {
      const login = loginOf(entry);
      if (login === null) {
        throw new UnsafeSecretFile(
          `${file}: auths.${address}: expected auth (base64 of user:password), or username and password`,
        );
      }
      registerSecret(login.password);
      if (entry.auth !== undefined) registerSecret(entry.auth);
      return [hostOf(address), login];
    }),
  );
}

function jsonIn(file: string): unknown {
  const text = readPrivateFile(file);
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words show a piece of the text.
    throw new UnsafeSecretFile(`${file} is no JSON`);
  }
}

function loginOf({ auth, username, password }: z.infer<typeof DockerConfig>['auths'][string]): RegistryLogin | null {
  if (auth === undefined) {
    return username === undefined || password === undefined || password === '' ? null : { username, password };
  }
  const [, user, secret] = /^([^:]+):(.+)$/s.exec(Buffer.from(auth, 'base64').toString('utf8')) ?? [];
  return user === undefined || secret === undefined ? null : { username: user, password: secret };
}

/** Docker writes some hosts as addresses: `https://index.docker.io/v1/` is Docker Hub. */
function hostOf(address: string): string {
  const host = address.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
  return host === 'index.docker.io' || host === 'registry-1.docker.io' ? 'docker.io' : host;
}
