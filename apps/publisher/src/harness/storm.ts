import type { KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type PublicationOutcome, type PublicationSpec, RunId } from '@assay/contracts';
import { BlamedError } from '@assay/failures';
import type { GithubCredential } from '@assay/github';
import type { PublicationHandler } from '../publication/publication.handler';
import { aCase, aTrajectory } from './cases';
import { leaseLost, type Publishing, REPOSITORY } from './publishing';
import type { Seeded } from './seeded';
import { aStormResult } from './storm-results';
import type { Weather } from './weather';

/** A release that is published to. */
export interface Target {
  readonly id: number;
  readonly tag: string;
}

/** One run's publication, as the coordinator keeps it. */
export interface Publication {
  readonly target: Target;
  readonly spec: PublicationSpec;
  readonly submitted: number;
  /** Its cases are there: before that nobody takes it. */
  isWhole: boolean;
  state: 'PENDING' | 'WRITTEN' | 'PUBLISHED' | 'SUPERSEDED';
  /** How often it failed, or its publisher was killed. */
  failures: number;
  blockDigest: string | null;
  assetNames: string[];
}

/** Publishers at the same time; a release is written to by one. */
const PUBLISHERS = 4;
/** The lease of a publisher that was killed: so long its last request may still travel. Milliseconds. */
const LEASE_MS = 40;
/** What fails more often than this does not end. */
const MOST_FAILURES = 60;
/** Runs that wait or are worked on at the same time. */
const OPEN = 30;

/**
 * Gives out publications as the coordinator does (design section 3a): one per release at a time, the newest run of a
 * release and suite wins, whatever fails is tried again, and what was written is read again later. Publishers are killed in
 * the middle at random.
 */
export class Storm {
  readonly all: Publication[] = [];
  kills = 0;
  private readonly leased = new Set<number>();

  constructor(
    private readonly at: Publishing,
    private readonly weather: Weather,
    private readonly random: Seeded,
    private readonly targets: readonly Target[],
    private readonly suites: readonly string[],
    private readonly publisher: { readonly signingKey: KeyObject; readonly credential: GithubCredential },
  ) {}

  /** Resolves when `runs` publications were submitted and each of them is over. */
  async blow(runs: number): Promise<void> {
    await Promise.all(Array.from({ length: PUBLISHERS }, () => this.publishing(runs)));
  }

  private async publishing(runs: number): Promise<void> {
    for (;;) {
      while (this.all.length < runs && this.open().length < OPEN) await this.submit();
      const free = this.open().filter(({ target, isWhole }) => isWhole && !this.leased.has(target.id));
      if (free.length === 0) {
        if (this.open().length === 0 && this.all.length >= runs) return;
        await pause(5);
        continue;
      }
      const publication = this.random.one(free);
      this.leased.add(publication.target.id);
      try {
        await this.work(publication);
      } finally {
        this.leased.delete(publication.target.id);
      }
    }
  }

  private open(): Publication[] {
    return this.all.filter(({ state }) => state === 'PENDING' || state === 'WRITTEN');
  }

  private async submit(): Promise<void> {
    const submitted = this.all.length;
    const target = this.random.one(this.targets);
    const suite = this.random.one(this.suites);
    const runId = RunId.parse(`run-${submitted}`);
    const result = aStormResult(submitted, { runId, suite, tag: target.tag, repository: REPOSITORY });
    const publication: Publication = {
      target,
      submitted,
      state: 'PENDING',
      isWhole: false,
      failures: 0,
      blockDigest: null,
      assetNames: [],
      spec: {
        kind: 'publication',
        phase: 'write',
        repository: REPOSITORY,
        releaseId: target.id,
        tag: target.tag,
        result,
        cases: [],
        blockDigest: null,
        assetNames: [],
      },
    };
    this.all.push(publication);
    if (result.status !== 'FAILED' && suite !== 'plain') {
      const trajectory = aTrajectory(`what ${runId} did`);
      publication.spec.cases.push(await aCase(this.at.artifacts, 'i-1', { trajectory }));
    }
    publication.isWhole = true;
  }

  private isNewest({ target, spec, submitted }: Publication): boolean {
    return !this.all.some(
      (other) =>
        other.target.id === target.id && other.spec.result.suite === spec.result.suite && other.submitted > submitted,
    );
  }

  private async work(publication: Publication): Promise<void> {
    if (!this.isNewest(publication)) {
      publication.state = 'SUPERSEDED';
      return;
    }
    this.weather.brew(publication.target.id);
    const outcome = await this.attempt(publication, this.at.handler({ timeoutMs: 300, ...this.publisher }));
    if (outcome === null) publication.state = 'PENDING';
    else if (outcome.kind === 'verified') publication.state = 'PUBLISHED';
    else if (outcome.kind === 'written') {
      publication.state = this.isNewest(publication) ? 'WRITTEN' : 'SUPERSEDED';
      publication.blockDigest = outcome.blockDigest;
      publication.assetNames = outcome.assets.map(({ name }) => name);
    } else throw new Error(`${publication.spec.result.runId}: ${JSON.stringify(outcome)}`);
  }

  /** Null: it failed, or its publisher was killed. */
  private async attempt(publication: Publication, handler: PublicationHandler): Promise<PublicationOutcome | null> {
    const { state, blockDigest, assetNames, spec } = publication;
    const phase = state === 'WRITTEN' ? ('verify' as const) : ('write' as const);
    const killed = new AbortController();
    const doomed = this.random.chance(0.2) ? this.killAfter(1 + this.random.below(8), killed) : null;
    const ensureFresh = (): Promise<void> => (killed.signal.aborted ? Promise.reject(leaseLost()) : Promise.resolve());
    try {
      return await this.at.publish(
        { ...spec, phase, blockDigest, assetNames },
        { signal: killed.signal, ensureFresh },
        handler,
      );
    } catch (error) {
      publication.failures += 1;
      if (!(error instanceof BlamedError) || publication.failures > MOST_FAILURES) throw error;
      return null;
    } finally {
      clearInterval(doomed ?? undefined);
      if (killed.signal.aborted) await pause(LEASE_MS);
    }
  }

  /** Kills a publisher once so many more requests have come in, wherever it is then. */
  private killAfter(requests: number, killed: AbortController): NodeJS.Timeout {
    const from = this.at.standin.requests.length;
    return setInterval(() => {
      if (killed.signal.aborted || this.at.standin.requests.length < from + requests) return;
      this.kills += 1;
      killed.abort(leaseLost());
    }, 1);
  }
}
