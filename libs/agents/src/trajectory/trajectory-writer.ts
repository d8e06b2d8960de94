import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { redactorOf, type Redactor } from './redaction';
import { StepList } from './step-list';
import { trajectoryOf, type TrajectoryHead } from './trajectory';
import type { Observation, StepSink, TrajectoryStep } from './trajectory-step';

type Line = { readonly step: TrajectoryStep } | { readonly observed: Observation };

/**
 * Writes steps to a file as they happen, one JSON line each, so that a trial that is killed keeps its evidence. Each line is
 * handed to the system before the call returns: what a killed process has written is there. Secrets are redacted by value.
 */
export class TrajectoryWriter implements StepSink {
  private readonly list = new StepList();
  private readonly redactor: Redactor;
  private readonly file: number;
  private closed = false;

  /** @param path a file that does not exist yet; `secrets`: the token, the key, whatever else must be found nowhere */
  constructor(path: string, secrets: readonly string[]) {
    this.redactor = redactorOf(secrets);
    this.file = openSync(path, 'ax', 0o600);
  }

  step(step: TrajectoryStep): void {
    const kept = this.redactor.deep(step);
    this.list.step(kept);
    this.write({ step: kept });
  }

  observed(observation: Observation): void {
    const kept = this.redactor.deep(observation);
    this.list.observed(kept);
    this.write({ observed: kept });
  }

  /** The whole document; the steps so far. */
  document(head: TrajectoryHead): Record<string, unknown> {
    return trajectoryOf(this.redactor.deep(head), this.list.all());
  }

  /** Puts the lines on the disk. What comes after it is dropped: an agent that was left behind may still talk. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    fsyncSync(this.file);
    closeSync(this.file);
  }

  private write(line: Line): void {
    if (!this.closed) writeSync(this.file, `${JSON.stringify(line)}\n`);
  }
}

/** The steps of a file that a TrajectoryWriter left, also one that was killed in the middle of a line. */
export async function readSteps(path: string): Promise<TrajectoryStep[]> {
  const list = new StepList();
  for (const text of (await readFile(path, 'utf8')).split('\n')) {
    const line = lineOf(text);
    if (line === null) continue;
    if ('step' in line) list.step(line.step);
    else list.observed(line.observed);
  }
  return list.all();
}

function lineOf(text: string): Line | null {
  if (text === '') return null;
  try {
    return JSON.parse(text) as Line;
  } catch {
    return null; // the one that was being written when its writer was killed
  }
}
