import { z } from 'zod';

/** Where a page of runs ended: creation time as PostgreSQL prints it (a Date would lose its microseconds), and id. */
const Position = z.tuple([
  z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/),
  z.string().min(1).max(128),
]);
type Position = z.infer<typeof Position>;

/** A cursor that no page has handed out. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
}

export function cursorOf(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** @throws InvalidCursor */
export function positionOf(cursor: string): Position {
  try {
    return Position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch (cause) {
    throw new InvalidCursor('expected a cursor that an earlier page gave', { cause });
  }
}
