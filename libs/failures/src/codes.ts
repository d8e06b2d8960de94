import { AGENT_CODES } from './codes/agent';
import { DISPATCH_CODES } from './codes/dispatch';
import { EXTRACT_CODES } from './codes/extract';
import { GATEWAY_CODES } from './codes/gateway';
import { GRADE_CODES } from './codes/grade';
import { MESSAGES_CODES } from './codes/messages';
import { PACKAGES_CODES } from './codes/packages';
import { PUBLISH_CODES } from './codes/publish';
import { SANDBOX_CODES } from './codes/sandbox';
import { STORE_CODES } from './codes/store';
import { SYSTEM_CODES } from './codes/system';

/**
 * Every code that a failure of ours may have: whose fault it is, what happened, what an operator does. docs/errors.md is
 * made from it, and a code that is not in it does not compile. One file for each stage of an instance's life, then what
 * belongs to none.
 */
export const FAILURE_CODES = {
  ...DISPATCH_CODES,
  ...SANDBOX_CODES,
  ...GATEWAY_CODES,
  ...PACKAGES_CODES,
  ...AGENT_CODES,
  ...EXTRACT_CODES,
  ...STORE_CODES,
  ...GRADE_CODES,
  ...PUBLISH_CODES,
  ...MESSAGES_CODES,
  ...SYSTEM_CODES,
} as const;

export type FailureCode = keyof typeof FAILURE_CODES;
