/** Whose rules: releases of the official harness (SWE-bench/SWE-bench). */
export const GRADING_RULES = ['swebench-5.0.2', 'swebench-4.1.0'] as const;
export type GradingRules = (typeof GRADING_RULES)[number];

/** Names the rules that verdicts are made by unless others are asked for. */
export const graderVersion: GradingRules = 'swebench-5.0.2';
