/** A state machine was asked for a step that it does not have: a mistake of ours, never of the outside. */
export class IllegalTransition extends Error {
  override readonly name = 'IllegalTransition';

  constructor(
    readonly machine: 'run' | 'instance' | 'publication' | 'chain',
    readonly from: string,
    readonly event: string,
  ) {
    super(`${machine} ${from} takes no ${event}`);
  }
}
