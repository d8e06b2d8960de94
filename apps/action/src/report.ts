import type { Receipt, RunReceipt } from './receipt';
import type { Runner } from './runner';

/** Tells the log, the outputs and the summary what became of the release. */
export function report(receipt: Receipt, tag: string, runner: Runner): void {
  if (!('runId' in receipt)) {
    reportSkip(tag, receipt.reason, runner);
    return;
  }
  const { runId, runUrl, status, deduplicated } = receipt;
  outputs(runner, { runId, runUrl, status, deduplicated });
  runner.summary(summaryOf(receipt));
  runner.log(`${deduplicated ? 'Found again' : 'Handed over'}: ${tag} is run ${runId}, ${status}. ${runUrl}`);
}

/** A release that starts no run is no error. */
export function reportSkip(what: string, reason: string, runner: Runner): void {
  outputs(runner, { runId: '', runUrl: '', status: 'SKIPPED', deduplicated: false });
  runner.summary(`### Assay\n\nNo benchmark for ${literal(what)}: ${literal(reason)}`);
  runner.notice(`Skipping benchmark for ${what}: ${reason}`);
}

function outputs(
  runner: Runner,
  { runId, runUrl, status, deduplicated }: Pick<RunReceipt, 'runId' | 'runUrl' | 'status' | 'deduplicated'>,
): void {
  runner.output('run-id', runId);
  runner.output('run-url', runUrl);
  runner.output('status', status);
  runner.output('deduplicated', String(deduplicated));
}

function summaryOf(receipt: RunReceipt): string {
  const rows: [string, string][] = [
    ['Release', literal(receipt.releaseTag)],
    ['Evaluated', `${literal(receipt.evaluatedRef)}${receipt.commit === null ? '' : ` (${literal(receipt.commit)})`}`],
    ['Run', `[${literal(receipt.runId)}](<${receipt.runUrl.replaceAll(/[<>|]/g, encodeURIComponent)}>)`],
    ['State', `${receipt.status}${receipt.deduplicated ? ', submitted before' : ''}`],
    ['Suite', suiteText(receipt.suite, receipt.expectedInstances)],
    ...receipt.chain.map(({ suite, expectedInstances }): [string, string] => [
      'Then',
      suiteText(suite, expectedInstances),
    ]),
    ['Rule', literal(receipt.rule)],
  ];
  return [
    '### Assay: the release was handed over',
    '',
    '| | |',
    '| --- | --- |',
    ...rows.map(([name, value]) => `| ${name} | ${value} |`),
    '',
    'This job ends here. The result is written to the release when the run is done.',
  ].join('\n');
}

function suiteText(suite: string, instances: number | null): string {
  return instances === null
    ? literal(suite)
    : `${literal(suite)}, ${instances} ${instances === 1 ? 'instance' : 'instances'}`;
}

/** Text from outside as code in Markdown, where nothing in it is markup. */
function literal(text: string): string {
  return `<code>${text.replaceAll(/[&<>"'`|*_[\]\\\r\n]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</code>`;
}
