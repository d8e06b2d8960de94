import { ChainState, InstanceState, PublicationState, RunState } from '@assay/contracts';
import { CHAIN_EVENTS, nextChainState } from '../chain.machine';
import { IllegalTransition } from '../illegal-transition';
import { INSTANCE_EVENTS, instanceEventName, nextInstanceState } from '../instance.machine';
import { nextPublicationState, PUBLICATION_EVENTS } from '../publication.machine';
import { nextRunState, RUN_EVENTS, runEventName } from '../run.machine';

/** One step that a machine takes. */
export interface Transition<State extends string> {
  readonly from: State;
  readonly event: string;
  readonly to: State;
}

/** Every step of the run machine, found by asking it. */
export function runTransitions(): Transition<RunState>[] {
  return RunState.options.flatMap((from) =>
    RUN_EVENTS.flatMap((event) => stepOf(from, runEventName(event), () => nextRunState(from, event))),
  );
}

/** Every step of the instance machine, found by asking it. */
export function instanceTransitions(): Transition<InstanceState>[] {
  return InstanceState.options.flatMap((from) =>
    INSTANCE_EVENTS.flatMap((event) => stepOf(from, instanceEventName(event), () => nextInstanceState(from, event))),
  );
}

/** Every step of the publication machine, found by asking it. */
export function publicationTransitions(): Transition<PublicationState>[] {
  return PublicationState.options.flatMap((from) =>
    PUBLICATION_EVENTS.flatMap((event) => stepOf(from, event.type, () => nextPublicationState(from, event))),
  );
}

/** Every step of a link of a chain, found by asking the machine. */
export function chainTransitions(): Transition<ChainState>[] {
  return ChainState.options.flatMap((from) =>
    CHAIN_EVENTS.flatMap((event) => stepOf(from, event, () => nextChainState(from, event))),
  );
}

function stepOf<State extends string>(from: State, event: string, next: () => State): Transition<State>[] {
  try {
    return [{ from, event, to: next() }];
  } catch (error) {
    if (error instanceof IllegalTransition) return [];
    throw error;
  }
}
