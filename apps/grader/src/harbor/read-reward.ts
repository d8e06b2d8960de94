import { BlamedError } from '@assay/failures';
import type { Sandbox } from '@assay/sandbox';
import { MAX_REWARD_BYTES, parseReward, REWARD_FILES, rewardError, type RewardFile } from './reward';

export interface Reward {
  readonly file: RewardFile;
  readonly value: number;
}

/**
 * Reads the reward that the tests left in `logs/verifier`. Nothing may run in the sandbox any more.
 * @throws TaskError `reward_missing`, `reward_two_files`, `reward_not_a_file`, `reward_too_large`, and as `parseReward`
 */
export async function readReward(sandbox: Sandbox, verifierDir: string): Promise<Reward> {
  const names = await sandbox.list(verifierDir);
  const [file, second] = REWARD_FILES.filter((name) => names.includes(name));
  if (file === undefined) throw rewardError('reward_missing', 'the tests left neither reward.txt nor reward.json');
  if (second !== undefined) throw rewardError('reward_two_files', 'the tests left both reward.txt and reward.json');
  const content = await contentOf(sandbox, `${verifierDir}/${file}`);
  if (content === null) throw rewardError('reward_not_a_file', `${file} is not a regular file`);
  return { file, value: parseReward(file, content) };
}

async function contentOf(sandbox: Sandbox, path: string): Promise<Buffer | null> {
  try {
    return await sandbox.getFile(path, MAX_REWARD_BYTES);
  } catch (error) {
    if (!(error instanceof BlamedError) || error.code !== 'file_too_large') throw error;
    throw rewardError('reward_too_large', `the reward file has more than ${MAX_REWARD_BYTES} bytes`);
  }
}
