import { createPrivateKey } from 'node:crypto';
import { ContractError } from '@assay/failures';
import { fileSetting, readPrivateFile, setting, type Setting } from '@assay/service-kit';
import { registerSecret } from '@assay/telemetry';
import { z } from 'zod';

/** What the settings say of who writes on releases. */
export interface CredentialSettings {
  readonly GITHUB_TOKEN_FILE?: string | undefined;
  readonly GITHUB_APP_ID?: string | undefined;
  readonly GITHUB_APP_INSTALLATION_ID?: number | undefined;
  readonly GITHUB_APP_PRIVATE_KEY_FILE?: string | undefined;
}

type Field = keyof CredentialSettings;

const APP: readonly Field[] = ['GITHUB_APP_ID', 'GITHUB_APP_INSTALLATION_ID', 'GITHUB_APP_PRIVATE_KEY_FILE'];
const ALL: readonly Field[] = ['GITHUB_TOKEN_FILE', ...APP];

/** An App's number, or its client id (`Iv1.…`, `Iv23…`). */
export function appId(): Setting<string> {
  return setting('the id of a GitHub App (digits), or its client id (Iv…)', (text) =>
    /^(\d{1,20}|Iv[A-Za-z0-9.]{8,60})$/.test(text) ? text : undefined,
  );
}

/** The variable names a file; the value is the private key in it as PKCS #8, checked by the rules of `readPrivateFile`. */
export function appKeyFile(): Setting<string> {
  const expected =
    'the path of a file with the private key of a GitHub App (RSA, PEM; mode 0600, 0440 or 0400, no link)';
  return fileSetting(expected, (file) => {
    const pem = readPrivateFile(file);
    const key = readAppKey(pem);
    for (const line of [...keyLines(pem), ...keyLines(key)]) registerSecret(line);
    return key;
  });
}

/** The lines of a key in PEM that must be shown to nobody. */
export function keyLines(pem: string): string[] {
  return pem.split(/\r?\n/).filter((line) => /^[A-Za-z0-9+/=]{16,}$/.test(line));
}

/**
 * The RSA key in a PEM text, as PKCS #8.
 * @throws ContractError `github_app_key_invalid`; its message never holds the text
 */
export function readAppKey(pem: string): string {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'pkcs8', format: 'pem' }).toString();
  } catch {
    // What OpenSSL says of a text could hold parts of it.
  }
  throw new ContractError('it holds no RSA private key in PEM', { code: 'github_app_key_invalid', phase: 'publish' });
}

/** Adds to the publisher's schema that there is one way to GitHub: a token's file, or an App with all three of its settings. */
export function oneGithubCredential<T extends z.ZodType<CredentialSettings>>(schema: T): T {
  return schema
    .refine((value) => count(value, ALL) > 0, {
      ...about('GITHUB_TOKEN_FILE'),
      error: `expected the path of a file with a token, or an App's ${APP.join(', ')}`,
    })
    .refine((value) => value.GITHUB_TOKEN_FILE === undefined || count(value, APP) === 0, {
      ...about('GITHUB_TOKEN_FILE'),
      error: `expected no token beside a GitHub App (${APP.join(', ')})`,
    })
    .superRefine((value, context) => {
      const given = count(value, APP);
      if (given === 0 || given === APP.length || value.GITHUB_TOKEN_FILE !== undefined) return;
      for (const field of APP.filter((name) => value[name] === undefined)) {
        const message = `expected a value: a GitHub App needs all of ${APP.join(', ')}`;
        context.addIssue({ code: 'custom', path: [field], message });
      }
    });
}

/** The rule is told also beside mistakes of other settings, but not where one of its own is wrong itself. */
function about(field: Field) {
  return {
    path: [field],
    when: ({ issues }: z.core.ParsePayload) => !issues.some(({ path }) => ALL.includes(path?.[0] as Field)),
  };
}

function count(settings: CredentialSettings, fields: readonly Field[]): number {
  return fields.filter((field) => settings[field] !== undefined).length;
}
