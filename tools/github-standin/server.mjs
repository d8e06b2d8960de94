import { once } from 'node:events';
import { createServer } from 'node:http';
import { AppTokens } from './apps.mjs';
import { control } from './control.mjs';
import { ApiError, badCredentials, forbidden, notFound, requiresAuthentication } from './errors.mjs';
import { editBody, Faults } from './faults.mjs';
import { pager, parseJson, readBytes, send } from './http.mjs';
import { servePage } from './pages.mjs';
import { findRoute } from './routes.mjs';
import { shapes } from './shapes.mjs';
import { State } from './state.mjs';

/**
 * Starts a stateful stand-in of the part of GitHub's REST API that Assay uses, over real HTTP. It is no GitHub and has
 * never been compared with one: its answers are checked against GitHub's published OpenAPI description.
 * @param {import('./server.d.mts').GithubStandinOptions} options
 * @returns {Promise<import('./server.d.mts').GithubStandin>} rejects when the port is taken
 */
export async function startGithubStandin(options = {}) {
  const { port = 0, host = '127.0.0.1', token, readToken, stateFile, repositories = [], check = false, app } = options;
  const standin = {
    state: new State(stateFile),
    faults: new Faults(),
    requests: [],
    edits: [],
    problems: [],
    token,
    readToken,
    apps: new AppTokens(app),
    contract: check ? (await import('./contract.mjs')).openContract() : null,
  };
  for (const name of repositories) standin.state.ensureRepository(name);
  await standin.state.save();

  const server = createServer((request, response) => {
    serve(standin, request, response).catch((error) => {
      if (response.headersSent) return response.destroy();
      if (error instanceof ApiError) return send(request, response, error.answer);
      return send(request, response, { status: 400, body: { message: error.message } });
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  standin.url = `http://${host}:${server.address().port}`;
  return {
    url: standin.url,
    requests: standin.requests,
    edits: standin.edits,
    problems: standin.problems,
    fault: (fault) => standin.faults.add(fault),
    clearFaults: () => standin.faults.clear(),
    edit: (edit) => writtenByHand(standin, edit),
    state: () => standin.state.view(),
    setToken: (next) => {
      standin.token = next;
    },
    revokeAppTokens: () => standin.apps.revoke(),
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await standin.state.save();
    },
  };
}

async function serve(standin, request, response) {
  // Addresses in answers are those by which the caller reached us: also from a container.
  const base = `http://${request.headers.host ?? new URL(standin.url).host}`;
  const url = new URL(request.url ?? '/', base);
  if (url.pathname.startsWith('/_standin/')) {
    send(request, response, await control(standin, request.method, url.pathname, request));
    return;
  }
  if (request.method === 'GET' && servePage(standin.state, url.pathname, response)) return;
  const uploads = url.pathname.startsWith('/api/uploads/');
  const path = url.pathname.replace(/^\/api\/(uploads|v3)(?=\/)/, '');
  const fault = standin.faults.take(request.method, path);
  const bytes = await readBytes(request);
  const seen = {
    method: request.method,
    path,
    query: Object.fromEntries(url.searchParams),
    status: 0,
    bytes: bytes.length,
  };
  standin.requests.push(seen);
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'cut') {
    response.destroy();
    return;
  }
  const route = findRoute(request.method, path, uploads ? 'uploads' : 'api');
  const answer =
    fault?.kind === 'answer'
      ? { status: fault.status, body: fault.body ?? { message: `scripted ${fault.status}` }, headers: fault.headers }
      : await answered(() => handle(standin, request, { base, url, route, bytes, fault }));
  if (fault?.kind === 'edit') writtenByHand(standin, fault.edit);
  await standin.state.save();
  seen.status = answer.status;
  judge(standin, seen, route, bytes, answer);
  if (fault?.kind === 'lost') {
    response.destroy();
    return;
  }
  send(request, response, answer);
}

function writtenByHand(standin, edit) {
  editBody(standin.state, edit);
  standin.edits.push(edit);
}

async function answered(work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) return error.answer;
    throw error;
  }
}

function handle(standin, request, { base, url, route, bytes, fault }) {
  if (route === null) throw notFound();
  const { authorization } = request.headers;
  // An App proves itself for a token; that is no matter of a repository.
  if (route.template.startsWith('/app/')) {
    return route.handler({ apps: standin.apps, authorization, params: route.params, body: parseJson(bytes) });
  }
  const access = accessOf(standin, authorization, route.template.includes('/issues/') ? 'issues' : 'contents');
  const repository = standin.state.repository(`${route.params.owner}/${route.params.repo}`);
  if (repository === undefined) throw notFound();
  if (request.method !== 'GET') {
    if (access === 'none') throw requiresAuthentication();
    if (access === 'read') throw forbidden();
  }
  return route.handler({
    state: standin.state,
    repository,
    shape: shapes(base),
    params: route.params,
    query: url.searchParams,
    body: route.host === 'uploads' ? {} : parseJson(bytes),
    bytes,
    contentType: request.headers['content-type'] ?? 'application/octet-stream',
    accept: request.headers.accept ?? '',
    canWrite: access === 'write',
    paged: pager(url),
    now: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    fault,
  });
}

/** Without a token of its own the stand-in takes any but those of an App that have ended. @param {'contents' | 'issues'} of */
function accessOf({ token, readToken, apps }, authorization, of) {
  const given = /^(?:bearer|token) (.+)$/i.exec(authorization ?? '')?.[1];
  if (given === undefined) return 'none';
  const permissions = apps.permissionsOf(given);
  if (permissions !== null) return permissions[of] === 'write' ? 'write' : 'read';
  if (given.startsWith('ghs_')) throw badCredentials();
  if (readToken !== undefined && given === readToken) return 'read';
  if (token === undefined || given === token) return 'write';
  throw badCredentials();
}

/** Holds the exchange against GitHub's description, where that is asked for. */
function judge({ contract, problems }, seen, route, bytes, answer) {
  if (contract === null || route === null) return;
  const json = route.host === 'uploads' || bytes.length === 0 ? null : safely(bytes);
  const exchange = { ...seen, template: route.template, params: route.params, requestBody: json };
  problems.push(...contract({ ...exchange, responseBody: answer.body }));
}

function safely(bytes) {
  try {
    return parseJson(bytes);
  } catch {
    return null;
  }
}
