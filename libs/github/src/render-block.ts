import type { RunResult } from '@assay/contracts';
import { ContractError } from '@assay/failures';
import { scoreLines, showsScore } from '@assay/scoring';
import { markdownCode, markdownText } from './markdown-text';

/** A file of the publication, as the block names it. */
export interface BlockLink {
  readonly title: string;
  readonly name: string;
  readonly url: string;
}

/**
 * What stands on a release about a run, in Markdown, without the markers: the lines of libs/scoring, which are the only
 * wording of a verdict, and where it comes from.
 * @param links the publication's files; empty where the release takes none (it is immutable)
 * @throws ContractError `nothing_to_publish` for a suite that publishes nothing
 */
export function renderBlock(result: RunResult, links: readonly BlockLink[]): string {
  const [verdict = '', ...rest] = lines(result);
  const bullets = [...rest.map(markdownText), ...sources(result), ...links.map(linkLine)];
  return [...heading(result), '', `**${markdownText(verdict)}**`, '', ...bullets.map((line) => `- ${line}`), ''].join(
    '\n',
  );
}

/**
 * The same for notes that have no room left: the counts, and "not a score" where there is none. No percentage, because
 * there is no room for what must stand beside one.
 */
export function renderShortBlock(result: RunResult, links: readonly BlockLink[]): string {
  const said = lines(result);
  const verdict = showsScore(result) ? [] : said.slice(0, 1);
  const counts = said.filter((line) => line.startsWith('Instances: '));
  const bullets = [...verdict, ...counts].map(markdownText);
  const [first] = links;
  bullets.push(first === undefined ? `Run ${markdownCode(result.runId)}` : linkLine(first));
  return [...heading(result), '', ...bullets.map((line) => `- ${line}`), ''].join('\n');
}

function lines(result: RunResult): string[] {
  const said = scoreLines(result);
  if (said.length > 0) return said;
  throw new ContractError(`suite ${result.suite} publishes nothing`, { code: 'nothing_to_publish', phase: 'publish' });
}

function heading({ title }: RunResult): string[] {
  return ['<!-- Written by a machine: an edit between these two marks is lost. -->', '', `### ${markdownText(title)}`];
}

function sources({ evaluated, release, runId, githubRunUrl }: RunResult): string[] {
  const known = [
    evaluated.commit === null ? [] : [`commit ${markdownCode(evaluated.commit.slice(0, 12))}`],
    evaluated.packageVersion === null ? [] : [`package ${markdownCode(evaluated.packageVersion)}`],
  ].flat();
  const elsewhere =
    release === null || release.tag === evaluated.ref
      ? []
      : [`for the release ${markdownCode(release.tag)}, which is another ref`];
  const started = githubRunUrl === null ? '' : `, started by ${linkTo('this workflow run', githubRunUrl)}`;
  return [
    `Evaluated: ${[markdownCode(evaluated.ref), ...known, ...elsewhere].join(', ')}`,
    `Run ${markdownCode(runId)}${started}`,
  ];
}

function linkLine({ title, name, url }: BlockLink): string {
  return `${markdownText(title)}: ${linkTo(name, url)}`;
}

/** A link whose address can neither end early nor hold markup. */
export function linkTo(text: string, url: string): string {
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
