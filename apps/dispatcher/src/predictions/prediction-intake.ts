import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HttpStatus, Inject, Injectable } from '@nestjs/common';
import type { ArtifactStore } from '@assay/artifacts';
import type { PredictionSetReply, Problem } from '@assay/contracts';
import { Refusal } from '@assay/service-kit';
import { ARTIFACTS } from '../artifacts/artifacts-token';
import { predictionLines } from './prediction-lines';

/** A whole set: 500 patches with long trajectories are well below. Bytes. */
export const MAX_SET_BYTES = 4_294_967_296;

/** Problems that one answer names. */
const MAX_PROBLEMS = 50;

/** Takes a set of predictions: aside first, checked line by line, and stored whole or not at all. */
@Injectable()
export class PredictionIntake {
  constructor(@Inject(ARTIFACTS) private readonly store: ArtifactStore) {}

  /** @throws Refusal 422 naming line, field, value and expectation; 413 for a set that is too large */
  async take(body: Readable): Promise<PredictionSetReply> {
    const dir = join(tmpdir(), `assay-predictions-${randomUUID()}`);
    await mkdir(dir, { mode: 0o700 });
    try {
      const file = join(dir, 'set.jsonl');
      await pipeline(body, bounded(), createWriteStream(file));
      const predictions = await count(file);
      const { digest, size } = await this.store.put('predictions', 'application/x-ndjson', { file });
      return { digest, size, predictions };
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }
}

async function count(file: string): Promise<number> {
  const lines = new Map<string, number>();
  const problems: Problem[] = [];
  for await (const read of predictionLines(createReadStream(file))) {
    if ('problems' in read) problems.push(...read.problems);
    else {
      const { instance_id: id } = read.prediction;
      const earlier = lines.get(id);
      if (earlier !== undefined) problems.push(twice(id, read.line, earlier));
      else lines.set(id, read.line);
    }
    if (problems.length >= MAX_PROBLEMS) break;
  }
  if (lines.size === 0 && problems.length === 0) {
    problems.push({ field: '(body)', value: '', expected: 'expected at least one prediction, as JSON lines' });
  }
  if (problems.length === 0) return lines.size;
  throw new Refusal(HttpStatus.UNPROCESSABLE_ENTITY, 'the predictions are not valid', problems.slice(0, MAX_PROBLEMS));
}

function twice(id: string, line: number, earlier: number): Problem {
  const expected = `expected an instance once; line ${earlier} has it too`;
  return { field: `line ${line}: instance_id`, value: id, expected };
}

function bounded(): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size <= MAX_SET_BYTES) done(null, chunk);
      else done(new Refusal(HttpStatus.PAYLOAD_TOO_LARGE, `the set is larger than ${MAX_SET_BYTES} bytes`));
    },
  });
}
