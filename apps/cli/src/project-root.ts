import { resolve } from 'node:path';

/** The checkout that this program lies in: apps/cli/{src,dist} is three levels down. */
export function projectRoot(): string {
  return resolve(__dirname, '../../..');
}
