export { Envelope, keyId, signEnvelope, type Signer, signerOf } from './dsse';
export { newSigningKey, readPublicKeys, readSigningKey } from './keys';
export {
  PAYLOAD_TYPE,
  PREDICATE_TYPE,
  sha256Of,
  signStatement,
  Statement,
  STATEMENT_TYPE,
  type Subject,
  Summary,
  summaryOf,
} from './statement';
export { decideAgain } from './decide-again';
export { differences, type Difference } from './differences';
export { type Evidence, type Finding, type FoundFile, type Verdict, verifyEvidence } from './verify-evidence';
