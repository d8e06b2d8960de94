import { isIP } from 'node:net';
import { envBool, envInt, envPath, envText, envUrl, type Setting, setting } from '@assay/service-kit';
import { z } from 'zod';

/** Settings of who may call the dispatcher, and how: a zod shape. */
export function edgeConfig() {
  return {
    ASSAY_OIDC_ISSUER: envUrl(['https', 'http'], 'https://token.actions.githubusercontent.com').describe(
      'Issuer of the OIDC tokens of GitHub Actions; on GitHub Enterprise Server `https://HOST/_services/token`',
    ),
    ASSAY_OIDC_AUDIENCE: envText()
      .optional()
      .describe('Audience that those tokens must be made for, and no other. Without it workflows cannot call'),
    ASSAY_OIDC_ALLOW_HTTP: envBool(false).describe('Takes an issuer without TLS. For tests alone'),
    ASSAY_TLS_CERT_FILE: envPath().optional().describe('PEM file with the certificate of the server and its chain'),
    ASSAY_TLS_KEY_FILE: envPath().optional().describe('PEM file with its key; nobody else may read it'),
    ASSAY_TLS_SELF_SIGNED_DIR: envPath()
      .optional()
      .describe('Folder where a self-signed certificate for this machine is made and kept, in place of the two files'),
    ASSAY_TRUSTED_PROXIES: trustedProxies()
      .optional()
      .describe(
        'Proxies whose `X-Forwarded-For` is believed. Without it nobody is, and the address is the connection’s',
      ),
    ASSAY_RATE_PER_ADDRESS: envInt(6_000, { min: 1 }).describe('Calls a minute that one address may make'),
    ASSAY_RATE_PER_CALLER: envInt(3_000, { min: 1 }).describe('Calls a minute that one token or repository may make'),
    ASSAY_RATE_FAILURES: envInt(60, { min: 1 }).describe(
      'Refused tokens of one address in a minute after which its calls are not looked at',
    ),
    ASSAY_MAX_CONNECTIONS: envInt(1_000, { min: 1 }).describe('Connections at a time; more are closed at once'),
    ASSAY_HEADERS_TIMEOUT_MS: envInt(10_000, { min: 10 }).describe('Milliseconds for the headers of a request to come'),
    ASSAY_BODY_TIMEOUT_MS: envInt(30_000, { min: 10 }).describe(
      'Milliseconds for a body to come, or, of predictions, for more of it to come',
    ),
    ASSAY_AUDIT_DAYS: envInt(365, { min: 1, max: 36_500 }).describe('Days that the audit log keeps a call'),
  };
}
export type EdgeConfig = z.infer<z.ZodObject<ReturnType<typeof edgeConfig>>> & {
  readonly ASSAY_POLICY_FILE?: unknown;
};

/** The settings' schema with the rules that more than one of them must keep. */
export function edgeTogether<T extends z.ZodType<EdgeConfig>>(schema: T): T {
  return schema.superRefine((config, context) => {
    for (const [name, message] of problemsOf(config)) context.addIssue({ code: 'custom', path: [name], message });
  });
}

/** The setting and the expectation of each problem. */
function problemsOf(config: EdgeConfig): [keyof EdgeConfig, string][] {
  const problems: [keyof EdgeConfig, string][] = [];
  if (!config.ASSAY_OIDC_ISSUER.startsWith('https://') && !config.ASSAY_OIDC_ALLOW_HTTP) {
    problems.push(['ASSAY_OIDC_ISSUER', 'expected an https: URL, or, in tests, ASSAY_OIDC_ALLOW_HTTP=true']);
  }
  if (config.ASSAY_OIDC_AUDIENCE !== undefined && config.ASSAY_POLICY_FILE === undefined) {
    problems.push(['ASSAY_OIDC_AUDIENCE', 'expected ASSAY_POLICY_FILE beside it, to say which workflows may call']);
  }
  if ((config.ASSAY_TLS_CERT_FILE === undefined) !== (config.ASSAY_TLS_KEY_FILE === undefined)) {
    problems.push(['ASSAY_TLS_CERT_FILE', 'expected both ASSAY_TLS_CERT_FILE and ASSAY_TLS_KEY_FILE, or none']);
  }
  if (config.ASSAY_TLS_CERT_FILE !== undefined && config.ASSAY_TLS_SELF_SIGNED_DIR !== undefined) {
    problems.push(['ASSAY_TLS_SELF_SIGNED_DIR', 'expected none beside ASSAY_TLS_CERT_FILE']);
  }
  return problems;
}

/** The names are those of Express. */
const NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

function trustedProxies(): Setting<string[]> {
  const expected = `addresses, networks (10.0.0.0/8) or ${NETWORKS.join(', ')}, separated by commas`;
  const read = (text: string): string[] | undefined => {
    const words = text.split(',').map((word) => word.trim());
    return words.every(isNetwork) ? words : undefined;
  };
  return setting(expected, read);
}

function isNetwork(word: string): boolean {
  if (NETWORKS.includes(word)) return true;
  const [address = '', bits, ...more] = word.split('/');
  const kind = isIP(address);
  if (kind === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (kind === 4 ? 32 : 128));
}
