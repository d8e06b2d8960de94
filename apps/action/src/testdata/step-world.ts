import { type ActionStep, OidcIssuer } from '@assay/testing';
import { DispatcherDouble } from './dispatcher-double';

/** A form of workflow_dispatch as GitHub hands it over: what was left open is empty. */
export const FORM = {
  'release-tag': 'v0.21.15',
  'evaluated-ref': '',
  suite: 'swe_verified_smoke',
  limit: '1',
  'instance-id': 'sympy__sympy-20590',
  'chain-limit': '89',
  'chain-instance-id': '',
};

export interface StepWorld {
  issuer: OidcIssuer;
  dispatcher: DispatcherDouble;
  /** A step as the example workflow has it, for a published v1.2.0. */
  readonly step: (more?: Partial<ActionStep>) => ActionStep;
  readonly dispatched: (inputs?: Record<string, string>) => ActionStep;
}

/** An issuer of tokens and a dispatcher of its own for each test. */
export function stepWorld(): StepWorld {
  const world: Partial<StepWorld> = {};
  const the = <K extends 'issuer' | 'dispatcher'>(name: K): NonNullable<StepWorld[K]> => {
    const part = world[name];
    if (part === undefined) throw new Error(`the ${name} was not started`);
    return part;
  };
  beforeEach(async () => {
    [world.issuer, world.dispatcher] = await Promise.all([OidcIssuer.start(), DispatcherDouble.start()]);
  });
  afterEach(async () => {
    await Promise.all([the('issuer').stop(), the('dispatcher').stop()]);
  });
  const step = (more: Partial<ActionStep> = {}): ActionStep => ({
    event: 'release',
    payload: { action: 'published', release: { tag_name: 'v1.2.0', prerelease: false, draft: false } },
    ...more,
    inputs: { url: the('dispatcher').url, audience: 'assay', 'retry-delay-seconds': '0.01', ...more.inputs },
    env: {
      ACTIONS_ID_TOKEN_REQUEST_URL: the('issuer').requestUrl,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: the('issuer').requestToken,
      ...more.env,
    },
  });
  return {
    get issuer() {
      return the('issuer');
    },
    get dispatcher() {
      return the('dispatcher');
    },
    step,
    dispatched: (inputs = FORM) => step({ event: 'workflow_dispatch', payload: {}, inputs }),
  };
}
