import type { FailureEntries } from './failure-entry';

/** Between us and an artifact store that is a service of its own: S3 and what speaks like it. */
export const STORE_CODES = {
  store_unreachable: {
    blame: ['infra'],
    meaning: 'The artifact store does not answer, or its connection breaks.',
    operator: 'Check ASSAY_S3_ENDPOINT, the network, and that the service runs.',
  },
  store_denied: {
    blame: ['infra'],
    meaning: 'The artifact store refuses our credentials, or there are none.',
    operator: 'Check the key files, their rights on the bucket (get, put, list), and the clock of this machine.',
  },
  store_bucket_missing: {
    blame: ['infra'],
    meaning: 'The bucket of the artifact store does not exist.',
    operator: 'Make the bucket, or correct ASSAY_ARTIFACTS.',
  },
  store_full: {
    blame: ['infra'],
    meaning: 'The artifact store has no room left, or its quota is used up.',
    operator: 'Free space there, or raise the quota.',
  },
  store_busy: {
    blame: ['infra'],
    meaning: 'The artifact store asks us to slow down, and did so at every try.',
    operator: 'Nothing at first: it is tried again. If it comes often, run fewer workers or give the store more.',
  },
  store_cut_short: {
    blame: ['infra'],
    meaning: 'The artifact store ended an answer before its end, at every try.',
    operator: 'Check the network and what stands between us and the store.',
  },
} as const satisfies FailureEntries;
