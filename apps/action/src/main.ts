import { runAction } from './run-action';

runAction(process.env, (text) => process.stdout.write(text)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    // Not foreseen: only the kind and the place, because a message may hold whatever was being sent.
    const { name, stack = '' } = error as Error;
    const place = stack.split('\n').filter((line) => line.startsWith('    at '));
    process.stdout.write(`::error::Assay's Action broke (${name})%0A${place.slice(0, 8).join('%0A')}\n`);
    process.exitCode = 1;
  },
);
