import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { WorkerId } from '@assay/contracts';

/** A name for this process that none before it had: host, process id and a random part. */
export function newWorkerId(): WorkerId {
  return WorkerId.parse(`${hostname().slice(0, 150)}-${process.pid}-${randomBytes(4).toString('hex')}`);
}
