import type { PublicResult } from '@assay/contracts';
import { ContractError } from '@assay/failures';
import { scoreLines } from '@assay/scoring';
import { markdownCode, markdownText } from './markdown-text';

export interface BlockLinks {
  /** Where the result's JSON can be downloaded. Null: the release takes no assets (it is immutable). */
  readonly resultUrl: string | null;
  /** Name of that file. */
  readonly resultName: string | null;
}

/**
 * What stands on a release about a run, in Markdown, without the markers: the lines of libs/scoring, which are the only
 * wording of a verdict, and where it comes from.
 * @throws ContractError `nothing_to_publish` for a suite that publishes nothing
 */
export function renderBlock(result: PublicResult, links: BlockLinks): string {
  const [verdict = '', ...rest] = lines(result);
  const bullets = [...rest.map(markdownText), ...sources(result, links)];
  return [...heading(result), '', `**${markdownText(verdict)}**`, '', ...bullets.map((line) => `- ${line}`), ''].join(
    '\n',
  );
}

/**
 * The same for notes that have no room left: the counts, and "not a score" where there is none. No percentage, because
 * there is no room for what must stand beside one.
 */
export function renderShortBlock(result: PublicResult, links: BlockLinks): string {
  const said = lines(result);
  const verdict = result.status === 'SUCCEEDED' ? [] : said.slice(0, 1);
  const counts = said.filter((line) => line.startsWith('Instances: '));
  const bullets = [...verdict, ...counts].map(markdownText);
  const link = resultLink(links);
  bullets.push(link ?? `Run ${markdownCode(result.runId)}`);
  return [...heading(result), '', ...bullets.map((line) => `- ${line}`), ''].join('\n');
}

function lines(result: PublicResult): string[] {
  const said = scoreLines(result);
  if (said.length > 0) return said;
  throw new ContractError(`suite ${result.suite} publishes nothing`, { code: 'nothing_to_publish', phase: 'publish' });
}

function heading({ title }: PublicResult): string[] {
  return ['<!-- Written by a machine: an edit between these two marks is lost. -->', '', `### ${markdownText(title)}`];
}

function sources(result: PublicResult, links: BlockLinks): string[] {
  const { evaluated, runId, githubRunUrl } = result;
  const version = `Evaluated: ${markdownCode(evaluated.ref)}, package ${markdownCode(evaluated.packageVersion)}`;
  const run = `Run ${markdownCode(runId)}${githubRunUrl === null ? '' : `, started by ${linkTo('this workflow run', githubRunUrl)}`}`;
  const link = resultLink(links);
  return link === null ? [version, run] : [version, run, link];
}

function resultLink({ resultUrl, resultName }: BlockLinks): string | null {
  return resultUrl === null ? null : `Every instance: ${linkTo(resultName ?? 'result', resultUrl)}`;
}

/** A link whose address can neither end early nor hold markup. */
function linkTo(text: string, url: string): string {
  const address = encodeURI(decodeSafely(url)).replace(/[()<>]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return `[${markdownText(text)}](${address})`;
}

function decodeSafely(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
