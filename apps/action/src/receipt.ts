import { ActionFailure } from './failure';

/** What a dispatcher answers to a release: a run, or the reason for none. */
export type Receipt =
  RunReceipt | { readonly status: 'SKIPPED'; readonly rule: string | null; readonly reason: string };

export interface RunReceipt {
  /** WAITING, QUEUED, or a later state if the release was submitted before. */
  readonly status: string;
  readonly runId: string;
  readonly runUrl: string;
  readonly deduplicated: boolean;
  readonly releaseTag: string;
  readonly evaluatedRef: string;
  /** null: not resolved yet. */
  readonly commit: string | null;
  readonly suite: string;
  readonly rule: string;
  /** null: not known yet. */
  readonly expectedInstances: number | null;
  readonly chain: readonly { readonly suite: string; readonly expectedInstances: number | null }[];
}

/**
 * The body of a 200 or 202. An address of the run may be a path of the server. Fields beyond these are left alone: a dispatcher may be newer than this Action.
 * @throws ActionFailure that names the field which is not as agreed
 */
export function readReceipt(text: string, server: string): Receipt {
  const at = new Fields(parsed(text), '');
  const version = at.text('schemaVersion', /^.+$/);
  if (version !== 'assay.receipt/1') throw no('schemaVersion', 'assay.receipt/1', version);
  const status = at.text('status', /^[A-Z][A-Z_]{1,40}$/);
  if (status === 'SKIPPED') return { status, rule: at.textOrNull('rule'), reason: at.text('reason', /^[^]+$/) };
  return {
    status,
    runId: at.text('runId', /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
    runUrl: at.address('runUrl', server),
    deduplicated: at.flag('deduplicated'),
    releaseTag: at.text('releaseTag', /^.+$/),
    evaluatedRef: at.text('evaluatedRef', /^.+$/),
    commit: at.textOrNull('commit'),
    suite: at.text('suite', /^.+$/),
    rule: at.text('rule', /^.+$/),
    expectedInstances: at.countOrNull('expectedInstances'),
    chain: at.list('chain').map((step) => ({
      suite: step.text('suite', /^.+$/),
      expectedInstances: step.countOrNull('expectedInstances'),
    })),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ActionFailure(`the dispatcher's answer is no JSON: ${JSON.stringify(text.slice(0, 200))}`);
  }
}

function no(field: string, expected: string, got: unknown): ActionFailure {
  const shown = got === undefined ? 'nothing' : JSON.stringify(got).slice(0, 200);
  return new ActionFailure(`the dispatcher's answer is no receipt: ${field}: expected ${expected}, got ${shown}`);
}

/** The fields of an object that came from outside. */
class Fields {
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(
    value: unknown,
    private readonly path: string,
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw no(path || '(body)', 'an object', value);
    this.values = value as Record<string, unknown>;
  }

  text(name: string, form: RegExp): string {
    const value = this.values[name];
    if (typeof value === 'string' && form.test(value)) return value;
    throw no(this.path + name, `a text like ${String(form)}`, value);
  }

  textOrNull(name: string): string | null {
    const value = this.values[name];
    if (typeof value === 'string' || value === null) return value;
    throw no(this.path + name, 'a text or null', value);
  }

  address(name: string, server: string): string {
    const value = this.values[name];
    if (typeof value === 'string' && value !== '' && URL.canParse(value, `${server}/`)) {
      const { protocol, href } = new URL(value, `${server}/`);
      if (protocol === 'https:' || protocol === 'http:') return href;
    }
    throw no(this.path + name, 'an address', value);
  }

  flag(name: string): boolean {
    const value = this.values[name];
    if (typeof value === 'boolean') return value;
    throw no(this.path + name, 'true or false', value);
  }

  countOrNull(name: string): number | null {
    const value = this.values[name];
    if (value === null || (typeof value === 'number' && Number.isInteger(value))) return value;
    throw no(this.path + name, 'a whole number or null', value);
  }

  list(name: string): Fields[] {
    const value = this.values[name];
    if (!Array.isArray(value)) throw no(this.path + name, 'a list', value);
    return value.map((each, index) => new Fields(each, `${this.path}${name}.${index}.`));
  }
}
