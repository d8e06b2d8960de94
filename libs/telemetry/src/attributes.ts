/** Names of our own span attributes and log fields; everything else follows OpenTelemetry's semantic conventions. */
export const ATTRIBUTES = {
  runId: 'assay.run.id',
  instanceId: 'assay.instance.id',
  sample: 'assay.instance.sample',
  workKind: 'assay.work.kind',
  attempt: 'assay.attempt',
  epoch: 'assay.epoch',
  worker: 'assay.worker',
  state: 'assay.state',
  failureCode: 'assay.failure.code',
} as const;
