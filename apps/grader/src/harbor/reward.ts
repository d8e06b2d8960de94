import { type FailureCode, TaskError } from '@assay/failures';

/** The files in which a task's tests may leave their reward; exactly one of them. */
export const REWARD_FILES = ['reward.txt', 'reward.json'] as const;
export type RewardFile = (typeof REWARD_FILES)[number];

/** A reward file is no larger. Bytes. */
export const MAX_REWARD_BYTES = 65_536;

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The reward that a file holds: `reward.txt` one decimal number, `reward.json` an object with one member, a number.
 * Harbor takes what Python's float() takes ("nan", "inf", 7); here a reward is finite and in [0, 1].
 * @throws TaskError `reward_empty`, `reward_not_a_number`, `reward_out_of_range`
 */
export function parseReward(name: RewardFile, content: Buffer): number {
  const text = content.toString('utf8').trim();
  if (text === '') throw rewardError('reward_empty', `${name} is empty`, text);
  const reward = name === 'reward.txt' ? numberIn(text) : memberOf(text);
  if (reward === null || !Number.isFinite(reward)) {
    const wanted = name === 'reward.txt' ? 'a number' : 'an object with one member, a number';
    throw rewardError('reward_not_a_number', `${name} does not hold ${wanted}`, text);
  }
  if (reward < 0 || reward > 1)
    throw rewardError('reward_out_of_range', `${name} holds ${reward}, not in [0, 1]`, text);
  return reward;
}

function numberIn(text: string): number | null {
  return NUMBER.test(text) ? Number(text) : null;
}

function memberOf(text: string): number | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const members: unknown[] = Object.values(value);
  const [reward] = members;
  return members.length === 1 && typeof reward === 'number' ? reward : null;
}

export function rewardError(code: FailureCode, message: string, text?: string): TaskError {
  return new TaskError(message, {
    code,
    phase: 'grade',
    details: text === undefined ? {} : { content: text.slice(0, 500) },
  });
}
