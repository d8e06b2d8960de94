import { Initial1764400000000 } from './0001-initial';
import { PublicationTries1764403200000 } from './0002-publication-tries';

/** Every migration, oldest first. */
export const MIGRATIONS = [Initial1764400000000, PublicationTries1764403200000];
