import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ActionFailure, PassingFailure } from './failure';

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly ca: readonly string[] | null;
  readonly timeoutMs: number;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

const MAX_REPLY_BYTES = 1_048_576;

/** No other try changes a certificate. */
const CERTIFICATE_CODES = /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|WRONG_VERSION_NUMBER/;

/**
 * One request, answered within its time or failed. Redirects are answers: a token is for one server.
 * @throws PassingFailure if there was no whole answer
 * @throws ActionFailure if the server's certificate is not trusted
 */
export async function call({ method, url, headers, body, ca, timeoutMs }: Call): Promise<Reply> {
  const signal = AbortSignal.timeout(timeoutMs);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  try {
    return await new Promise<Reply>((resolve, reject) => {
      const sent = send(
        url,
        { method, headers, signal, agent: false, ...(ca === null ? {} : { ca: [...ca] }) },
        (response) => {
          const chunks: Buffer[] = [];
          let size = 0;
          response.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size > MAX_REPLY_BYTES) sent.destroy(new Error(`the answer is larger than ${MAX_REPLY_BYTES} bytes`));
            else chunks.push(chunk);
          });
          response.on('error', reject);
          response.on('end', () => {
            resolve({
              status: response.statusCode ?? 0,
              text: Buffer.concat(chunks).toString('utf8'),
              retryAfter: response.headers['retry-after'] ?? null,
            });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body ?? undefined);
    });
  } catch (error) {
    throw failureOf(error, { url, timeoutMs, timedOut: signal.aborted });
  }
}

function failureOf(
  error: unknown,
  { url, timeoutMs, timedOut }: { url: URL; timeoutMs: number; timedOut: boolean },
): Error {
  if (timedOut) return new PassingFailure(`${url.origin} did not answer within ${timeoutMs / 1000} s`);
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (CERTIFICATE_CODES.test(code)) {
    return new ActionFailure(
      `the certificate of ${url.origin} is not trusted (${code}): ${message}; the input ca-file names further authorities`,
    );
  }
  return new PassingFailure(`no answer from ${url.origin}: ${message === '' ? code : message}`);
}
