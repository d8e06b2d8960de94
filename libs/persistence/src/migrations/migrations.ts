import { Initial1764400000000 } from './0001-initial';
import { PublicationTries1764403200000 } from './0002-publication-tries';
import { RunBuild1764432000000 } from './0003-run-build';
import { OutboxSent1764446400000 } from './0004-outbox-sent';
import { TokenLimit1764448200000 } from './0005-token-limit';
import { Auth1764450000000 } from './0006-auth';
import { Origin1764489600000 } from './0007-origin';
import { Publication1764493200000 } from './0008-publication';
import { Chain1764496800000 } from './0009-chain';
import { Notifications1764500400000 } from './0010-notifications';
import { SpentSoFar1764504000000 } from './0011-spent-so-far';

/** Every migration, oldest first. */
export const MIGRATIONS = [
  Initial1764400000000,
  PublicationTries1764403200000,
  RunBuild1764432000000,
  OutboxSent1764446400000,
  TokenLimit1764448200000,
  Auth1764450000000,
  Origin1764489600000,
  Publication1764493200000,
  Chain1764496800000,
  Notifications1764500400000,
  SpentSoFar1764504000000,
];
