import { ChainState, PublicationState } from '@assay/contracts';
import { CHAIN_EVENTS, isOverChainState } from '../chain.machine';
import { isTerminalInstanceState, INSTANCE_EVENTS, instanceEventName } from '../instance.machine';
import { isTerminalRunState, RUN_EVENTS, runEventName } from '../run.machine';
import { isOverPublicationState, PUBLICATION_EVENTS } from '../publication.machine';
import { chainRules } from './chain-rules';
import {
  CHAIN_EVENT_CAUSES,
  CHAIN_STATES,
  INSTANCE_EVENT_CAUSES,
  INSTANCE_STATES,
  PUBLICATION_EVENT_CAUSES,
  PUBLICATION_STATES,
  RUN_EVENT_CAUSES,
  RUN_STATES,
} from './explanations';
import {
  chainTransitions,
  instanceTransitions,
  publicationTransitions,
  runTransitions,
  type Transition,
} from './transitions';

/** One state machine as a chapter of the page. */
interface Chapter {
  readonly title: string;
  readonly about: string;
  readonly initial: string;
  readonly states: Readonly<Record<string, string>>;
  readonly isTerminal: (state: string) => boolean;
  readonly transitions: readonly Transition<string>[];
  readonly events: readonly string[];
  readonly causes: Readonly<Record<string, string>>;
}

const terminal: ReadonlySet<string> = new Set([
  ...runTransitions()
    .map(({ to }) => to)
    .filter(isTerminalRunState),
  ...instanceTransitions()
    .map(({ to }) => to)
    .filter(isTerminalInstanceState),
]);

const overPublications: ReadonlySet<string> = new Set(PublicationState.options.filter(isOverPublicationState));

const overLinks: ReadonlySet<string> = new Set(ChainState.options.filter(isOverChainState));

/** docs/states.md: the machines, drawn and explained, from the machines themselves. */
export function statesMarkdown(): string {
  const isTerminal = (state: string): boolean => terminal.has(state);
  return [
    '# States',
    '',
    '<!-- Made from libs/lifecycle by `npm run docs`; a test fails when it is stale. -->',
    '',
    'Four machines, pure functions in libs/lifecycle: a step that they do not have throws. Beside them a trigger of the',
    'database keeps terminal states. Events that leave a state as it is are in the tables, not in the drawings.',
    '',
    ...chapter({
      title: 'A run',
      about: 'Whether its result stands on the release is another matter: the state of its publication, below.',
      initial: 'WAITING',
      states: RUN_STATES,
      isTerminal,
      transitions: runTransitions(),
      events: RUN_EVENTS.map(runEventName),
      causes: RUN_EVENT_CAUSES,
    }),
    ...chapter({
      title: 'An instance',
      about: 'Every instance of a frozen manifest ends in exactly one of the five terminal states.',
      initial: 'QUEUED',
      states: INSTANCE_STATES,
      isTerminal,
      transitions: instanceTransitions(),
      events: INSTANCE_EVENTS.map(instanceEventName),
      causes: INSTANCE_EVENT_CAUSES,
    }),
    ...chapter({
      title: 'A publication',
      about: 'What a run owes its release. Nothing of it changes the run or its result. docs/publication.md',
      initial: 'PENDING',
      states: PUBLICATION_STATES,
      isTerminal: (state) => overPublications.has(state),
      transitions: publicationTransitions(),
      events: PUBLICATION_EVENTS.map(({ type }) => type),
      causes: PUBLICATION_EVENT_CAUSES,
    }),
    ...chapter({
      title: 'A link of a chain',
      about: 'The suite that follows on a release (docs/chains.md). Its own run has the states of any run, above.',
      initial: 'PENDING',
      states: CHAIN_STATES,
      isTerminal: (state) => overLinks.has(state),
      transitions: chainTransitions(),
      events: CHAIN_EVENTS,
      causes: CHAIN_EVENT_CAUSES,
    }),
    ...chainRules(),
  ].join('\n');
}

function chapter(machine: Chapter): string[] {
  const { title, about, states, isTerminal, transitions, events, causes } = machine;
  return [
    `## ${title}`,
    '',
    about,
    '',
    '```mermaid',
    ...drawing(machine),
    '```',
    '',
    '| state | means |',
    '| --- | --- |',
    ...Object.entries(states).map(([state, text]) => `| ${state}${isTerminal(state) ? ' (terminal)' : ''} | ${text} |`),
    '',
    '| event | caused by | from | to |',
    '| --- | --- | --- | --- |',
    ...events.map((event) => {
      const steps = transitions.filter((step) => step.event === event);
      const to = [...new Set(steps.map((step) => step.to))].join(', ');
      return `| ${event} | ${causes[event] ?? ''} | ${steps.map(({ from }) => from).join(', ')} | ${to} |`;
    }),
    '',
  ];
}

/** Mermaid's state diagram; what every open state can end in is drawn once, from a box that stands for all of them. */
function drawing({ initial, states, isTerminal, transitions }: Chapter): string[] {
  const open = Object.keys(states).filter((state) => !isTerminal(state));
  const fromAll = Object.keys(states).filter(
    (to) =>
      open.length > 1 &&
      isTerminal(to) &&
      open.every((from) => transitions.some((step) => step.from === from && step.to === to)),
  );
  const arrows = new Map<string, string[]>();
  for (const { from, event, to } of transitions) {
    if (from === to || (fromAll.includes(to) && open.includes(from))) continue;
    const arrow = `${from} --> ${to}`;
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), event]);
  }
  return [
    'stateDiagram-v2',
    `  [*] --> ${initial}`,
    ...[...arrows].map(([arrow, events]) => `  ${arrow}: ${events.join(', ')}`),
    ...(fromAll.length > 0 ? ['  state "any open state" as any_open'] : []),
    ...fromAll.map((to) => `  any_open --> ${to}`),
    ...Object.keys(states)
      .filter(isTerminal)
      .map((state) => `  ${state} --> [*]`),
  ];
}
