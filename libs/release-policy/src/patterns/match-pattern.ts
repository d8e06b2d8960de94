import { parsePattern } from './parse-pattern';
import { PatternError, type PatternTree, type Taken } from './pattern-tree';

/** A place in the machine: it takes one code unit, or goes on by itself to other places. */
type State = { readonly takes: Taken; readonly next: number } | { readonly next: number[] };

const MAX_STATES = 2000;

/**
 * Whether the anchored pattern takes the whole text. The time grows with the length of the text alone: all ways through
 * the pattern are walked at once, so no text makes it go back.
 * @throws PatternError if the pattern is none; `patternProblem` says so beforehand
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const { states, start, accept } = machineOf(parsePattern(pattern));
  let places = reach(states, [start]);
  for (let at = 0; at < text.length && places.size > 0; at += 1) {
    const unit = text.charAt(at);
    const moved: number[] = [];
    for (const place of places) {
      const state = states[place];
      if (state !== undefined && 'takes' in state && state.takes(unit)) moved.push(state.next);
    }
    places = reach(states, moved);
  }
  return places.has(accept);
}

/** What is wrong with a pattern, as an expectation; null if it is good. */
export function patternProblem(pattern: string): string | null {
  try {
    machineOf(parsePattern(pattern));
    return null;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

interface Machine {
  readonly states: readonly State[];
  readonly start: number;
  readonly accept: number;
}

/** Thompson's construction, from the end to the start. */
function machineOf(tree: PatternTree): Machine {
  const states: State[] = [];
  const add = (state: State): number => {
    if (states.length >= MAX_STATES) throw new PatternError('expected a smaller pattern: its repeats multiply');
    return states.push(state) - 1;
  };
  const before = (part: PatternTree, next: number): number => {
    switch (part.kind) {
      case 'one':
        return add({ takes: part.takes, next });
      case 'sequence':
        return part.parts.reduceRight((then, member) => before(member, then), next);
      case 'choice':
        return add({ next: part.options.map((option) => before(option, next)) });
      case 'repeat': {
        let entry = next;
        if (part.max === Infinity) {
          const again: number[] = [next];
          entry = add({ next: again });
          again.push(before(part.of, entry));
        } else {
          for (let extra = part.min; extra < part.max; extra += 1)
            entry = add({ next: [before(part.of, entry), next] });
        }
        for (let count = 0; count < part.min; count += 1) entry = before(part.of, entry);
        return entry;
      }
    }
  };
  const accept = add({ next: [] });
  return { states, start: before(tree, accept), accept };
}

/** All places that are reached from these without taking anything. */
function reach(states: readonly State[], from: readonly number[]): Set<number> {
  const reached = new Set<number>();
  const open = [...from];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (reached.has(place)) continue;
    reached.add(place);
    const state = states[place];
    if (state !== undefined && !('takes' in state)) open.push(...state.next);
  }
  return reached;
}
