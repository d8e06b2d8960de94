/** What a test scripts; see faults.mjs for each kind. */
export interface Fault {
  kind: 'answer' | 'starter' | 'cut' | 'lost' | 'edit' | 'hang';
  method?: string;
  /** Regular expression on the path. */
  path?: string;
  times?: number;
  skip?: number;
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  edit?: Edit;
}

/** A person's edit of a release body. */
export interface Edit {
  repository: string;
  releaseId: number;
  body?: string;
  append?: string;
  prepend?: string;
}

/** One request as it was answered. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  /** 0 while it is being answered, and for cut ones. */
  readonly status: number;
  /** Of the request's body. */
  readonly bytes: number;
}

/** A request and its answer, as the contract judges them. */
export interface Exchange extends SeenRequest {
  /** e.g. /repos/{owner}/{repo}/releases */
  template: string;
  params: Record<string, string>;
  requestBody: unknown;
  responseBody: unknown;
}

export interface StandinAsset {
  id: number;
  name: string;
  label: string | null;
  state: 'uploaded' | 'starter';
}

export interface StandinRelease {
  id: number;
  tag: string;
  body: string | null;
  immutable: boolean;
  assets: StandinAsset[];
}

export interface StandinState {
  /** By lower-case owner/name. */
  repositories: Record<
    string,
    {
      name: string;
      releases: StandinRelease[];
      refs: Record<string, { sha: string; type: string }>;
      /** By number. */
      issues?: Record<string, { comments: { id: number; body: string }[] }>;
    }
  >;
}

/** A GitHub App on one installation. */
export interface StandinApp {
  /** What its own tokens are issued by. */
  id: string | number;
  installationId: number;
  /** PEM. */
  publicKey: string;
  /** What the installation may; default: write contents. */
  permissions?: Record<string, 'read' | 'write'>;
  /** How long a token lives; default an hour. */
  tokenSeconds?: number;
}

export interface GithubStandinOptions {
  /** 0 or none: any. */
  port?: number;
  host?: string;
  /** May write. Without one, any token may. */
  token?: string;
  /** May only read: writes get 403. */
  readToken?: string;
  /** May get tokens beside these. */
  app?: StandinApp;
  /** Where the state is kept over restarts. */
  stateFile?: string;
  /** owner/name of those to be made at the start. */
  repositories?: string[];
  /** Hold every exchange against GitHub's OpenAPI description; what differs stands in `problems`. */
  check?: boolean;
}

export interface GithubStandin {
  /** Root of the API. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** What people changed so far, by `edit` or by a fault of that kind, in order. */
  readonly edits: readonly Edit[];
  readonly problems: readonly string[];
  fault(fault: Fault): void;
  clearFaults(): void;
  edit(edit: Edit): void;
  /** A copy of everything, without the content of assets. */
  state(): StandinState;
  /** The App's tokens so far are refused from now on. */
  revokeAppTokens(): void;
  /** The old token is refused from now on. */
  setToken(token: string): void;
  stop(): Promise<void>;
}

export function startGithubStandin(options?: GithubStandinOptions): Promise<GithubStandin>;
