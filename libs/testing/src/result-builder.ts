import { FailedResult, PublicResult } from '@assay/contracts';

/** A published run for tests: five instances, SUCCEEDED, counts only, unless told otherwise. */
export function aPublicResult(over: Partial<PublicResult> = {}): PublicResult {
  return PublicResult.parse({
    schemaVersion: 'assay.result/1',
    runId: 'run-1',
    status: 'SUCCEEDED',
    suite: 'demo',
    title: 'Demo suite',
    publish: 'counts',
    benchmarkSize: null,
    dataset: { name: 'demo', revision: '1' },
    evaluated: { ref: 'v1.2.0', commit: 'ab'.repeat(20), packageVersion: '1.2.0' },
    agent: { name: 'mini', version: '0.1.0' },
    model: 'some-model',
    limits: { wallSeconds: 600, turns: 30, cpus: 1, memoryMb: 1024 },
    maxAttempts: 4,
    graderVersion: 'harbor-1',
    graderNetwork: 'none',
    sandbox: 'process',
    manifestDigest: 'c'.repeat(64),
    release: { repository: 'acme/agent', tag: 'v1.2.0' },
    trigger: 'release',
    githubRunUrl: null,
    traceId: null,
    counts: { total: 5, resolved: 3, unresolved: 1, executionError: 1, infraFailed: 0, cancelled: 0 },
    score: null,
    gate: {
      expectedInstances: 5,
      errorThreshold: 4,
      forgedMarker: 'quarantine',
      gradeOnly: false,
      budgetReached: null,
    },
    reasons: [],
    usage: {
      calls: 0,
      promptTokens: 0,
      completionTokens: 0,
      cachedTokens: 0,
      costUsd: 0,
      estimated: false,
      attempts: 5,
      uncountedAttempts: 0,
    },
    startedAt: '2026-01-01T00:00:00Z',
    finishedAt: '2026-01-01T01:00:00Z',
    instances: [],
    ...over,
  });
}

/** A run that was never measured: its package did not come. */
export function aFailedResult(over: Partial<FailedResult> = {}): FailedResult {
  return FailedResult.parse({
    schemaVersion: 'assay.result/1',
    runId: 'run-1',
    status: 'FAILED',
    suite: 'demo',
    title: 'Demo suite',
    evaluated: { ref: 'v1.2.0', commit: null, packageVersion: null },
    model: 'some-model',
    release: { repository: 'acme/agent', tag: 'v1.2.0' },
    trigger: 'release',
    githubRunUrl: null,
    traceId: null,
    failure: { code: 'package_missing', message: 'npm has no version 1.2.0 of agent' },
    submittedAt: '2026-01-01T00:00:00Z',
    finishedAt: '2026-01-01T01:30:00Z',
    ...over,
  });
}
