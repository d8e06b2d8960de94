const DOCS = 'https://docs.github.com/rest';

/** An answer that GitHub gives instead of what was asked for. Messages are those of recorded exchanges where known. */
export class ApiError extends Error {
  constructor(status, body, headers = {}) {
    super(body.message);
    this.answer = { status, body, headers };
  }
}

export function notFound() {
  return new ApiError(404, { message: 'Not Found', documentation_url: DOCS, status: '404' });
}

export function badCredentials() {
  return new ApiError(401, { message: 'Bad credentials', documentation_url: DOCS, status: '401' });
}

export function requiresAuthentication() {
  return new ApiError(401, { message: 'Requires authentication', documentation_url: DOCS, status: '401' });
}

/** Of the proof that an App shows for itself. */
export function undecodable(message = 'A JSON web token could not be decoded') {
  return new ApiError(401, { message, documentation_url: DOCS, status: '401' });
}

export function forbidden() {
  return new ApiError(403, {
    message: 'Resource not accessible by integration',
    documentation_url: DOCS,
    status: '403',
  });
}

/** @param {{resource: string, code: string, field?: string, message?: string}} error */
export function invalid(error) {
  return new ApiError(422, { message: 'Validation Failed', errors: [error], documentation_url: DOCS, status: '422' });
}

export function unprocessable(message) {
  return new ApiError(422, { message, documentation_url: DOCS, status: '422' });
}

export function malformed(message = 'Problems parsing JSON') {
  return new ApiError(400, { message, documentation_url: DOCS, status: '400' });
}
