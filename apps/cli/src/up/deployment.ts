import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ApiClient } from '../api.client';
import { ADDRESS_FILE, certificateIn } from '../local-deployment';
import { fetchTrusting } from '../trusting-fetch';
import type { Backends } from './backends';
import type { Children } from './children';
import { demoPolicy } from './demo-policy';
import { DemoReleaseClient } from './demo-release.client';
import { KeptPorts } from './kept-ports';
import type { UpPlan } from './preflight';
import { type Look, plainly, ready, securely } from './readiness';
import type { SandboxChoice } from './sandbox-choice';
import { type ServiceSpec, serviceSpecs } from './services';
import type { StateFolder } from './state-folder';
import { standInSpecs } from './stand-ins';
import type { UpOptions } from './up-options';

const READY_MS = 60_000;

export interface DeploymentRequest {
  readonly plan: UpPlan;
  readonly options: UpOptions;
  readonly state: StateFolder;
  readonly backends: Backends;
  readonly choice: SandboxChoice;
  readonly children: Children;
  readonly signal: AbortSignal;
  readonly note: (line: string) => void;
}

/** A running deployment, as its user sees it. */
export interface Deployment {
  readonly url: string;
  /** File with the certificate of the dispatcher; null: it speaks plain HTTP. */
  readonly certificate: string | null;
  readonly api: ApiClient;
  readonly release: DemoReleaseClient;
  readonly githubUrl: string;
  readonly model: string;
  readonly sandbox: 'docker' | 'process';
  readonly logs: string;
}

/** Starts the stand-ins and the five services and waits until each says that it is ready. */
export async function startDeployment(request: DeploymentRequest): Promise<Deployment> {
  const { plan, options, state, backends, choice, children, signal, note } = request;
  const githubTokenFile = state.secret('github-token');
  const standIns = await standInSpecs(plan.root, state, githubTokenFile, {
    ports: new KeptPorts(state, freePort, note),
    model: plan.model,
  });
  for (const spec of standIns.children) children.start(spec);
  const apiTokenFile = state.secret('api-token');
  const keys = state.signingKey();
  const services = await serviceSpecs(
    {
      root: plan.root,
      state,
      backends,
      choice,
      githubUrl: standIns.githubUrl,
      githubTokenFile,
      modelUrl: standIns.modelUrl,
      modelKeyFile: standIns.modelKeyFile,
      apiTokenFile,
      suitesDir: plan.suitesDir,
      policyFile: plan.policyFile ?? state.file('demo.policy.yaml', demoPolicy(plan.root, plan.suiteName)),
      keys,
    },
    options,
    freePort,
  );
  // The coordinator lays schema and streams; the others wait for it by their own readiness.
  for (const spec of services) children.start(spec);
  const certificate = options.tls ? certificateIn(state.tls) : null;
  const lookAt = ({ name, port }: ServiceSpec): Look =>
    certificate !== null && name === 'dispatcher' ? securely(port, certificate) : plainly(port);
  await Promise.all(services.map((service) => ready(service.name, lookAt(service), READY_MS, signal)));
  const dispatcher = services.find(({ name }) => name === 'dispatcher');
  if (dispatcher === undefined) throw new Error('no dispatcher was started');
  const url = `${certificate === null ? 'http' : 'https'}://127.0.0.1:${dispatcher.port}`;
  state.write(ADDRESS_FILE, `${url}\n`);
  note(`five services are ready (${choice.sandbox} sandbox); API ${url}/docs`);
  return {
    url,
    api: new ApiClient({
      ...{ url, token: readFileSync(apiTokenFile, 'utf8') },
      ...(certificate === null ? {} : { fetch: fetchTrusting(certificate) }),
    }),
    certificate,
    release: new DemoReleaseClient(standIns.githubUrl, readFileSync(githubTokenFile, 'utf8')),
    githubUrl: standIns.githubUrl,
    model: standIns.model,
    sandbox: choice.sandbox,
    logs: join(state.dir, 'logs'),
  };
}

/** A port of this machine that nobody has now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
