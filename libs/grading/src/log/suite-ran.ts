import { positiveNumberBefore } from '../text/digits';
import { SPACE_CLASS } from '../text/python-space';

/** Summaries of JavaScript runners that show that a suite ran, as the harness has them (its SUITE_RAN). */
const SIGNS = [
  /Executed [1-9]\p{Nd}* of \p{Nd}/u,
  /TOTAL: [1-9]\p{Nd}* (?:SUCCESS|FAILED)/u,
  new RegExp(`Tests:${SPACE_CLASS}+[1-9]`, 'u'),
  new RegExp(`Test Suites:${SPACE_CLASS}+(?:\\p{Nd}+ [\\p{L}\\p{N}_]+, )*[1-9]\\p{Nd}* total`, 'u'),
  /(?<=^|\n)# tests [1-9]/u,
  /': ok(?=\n|$)/u,
];

/** True when a log without a parsed result still shows that its tests ran. */
export function suiteRan(content: string): boolean {
  return (
    SIGNS.some((sign) => sign.test(content)) ||
    positiveNumberBefore(content, / passing/g) ||
    positiveNumberBefore(content, / specs?, \p{Nd}+ failure/gu)
  );
}
