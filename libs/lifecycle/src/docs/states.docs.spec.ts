import { ChainSkip, ChainState, InstanceState, PublicationState, RunState } from '@assay/contracts';
import { expectFresh } from '@assay/testing';
import {
  CHAIN_EVENTS,
  INSTANCE_EVENTS,
  instanceEventName,
  PUBLICATION_EVENTS,
  RUN_EVENTS,
  runEventName,
} from '../index';
import {
  CHAIN_EVENT_CAUSES,
  CHAIN_SKIPS,
  CHAIN_STATES,
  INSTANCE_EVENT_CAUSES,
  INSTANCE_STATES,
  PUBLICATION_EVENT_CAUSES,
  PUBLICATION_STATES,
  RUN_EVENT_CAUSES,
  RUN_STATES,
} from './explanations';
import { statesMarkdown } from './states';
import { chainTransitions, instanceTransitions, publicationTransitions, runTransitions } from './transitions';

const page = statesMarkdown();
const [, runChapter = '', instanceChapter = '', publicationChapter = '', chainChapter = ''] = page.split('\n## ');

test('docs/states.md is what the machines say now', () => {
  expectFresh('docs/states.md', page);
});

test('every state and every event has its sentence, and nothing else has one', () => {
  expect(Object.keys(RUN_STATES)).toEqual(RunState.options);
  expect(Object.keys(INSTANCE_STATES).sort()).toEqual([...InstanceState.options].sort());
  expect(Object.keys(PUBLICATION_STATES)).toEqual(PublicationState.options);
  expect(Object.keys(PUBLICATION_EVENT_CAUSES)).toEqual(PUBLICATION_EVENTS.map(({ type }) => type));
  expect(Object.keys(CHAIN_STATES)).toEqual(ChainState.options);
  expect(Object.keys(CHAIN_EVENT_CAUSES)).toEqual(CHAIN_EVENTS);
  expect(Object.keys(CHAIN_SKIPS)).toEqual(ChainSkip.options);
  expect(Object.keys(RUN_EVENT_CAUSES).sort()).toEqual(RUN_EVENTS.map(runEventName).sort());
  expect(Object.keys(INSTANCE_EVENT_CAUSES).sort()).toEqual(INSTANCE_EVENTS.map(instanceEventName).sort());
});

test.each([
  ['run', runChapter, runTransitions()],
  ['instance', instanceChapter, instanceTransitions()],
  ['publication', publicationChapter, publicationTransitions()],
  ['chain', chainChapter, chainTransitions()],
])('every step of the %s machine is drawn, by itself or from all open states together', (_name, chapter, steps) => {
  expect(steps.length).toBeGreaterThan(2);
  for (const { from, event, to } of steps.filter((step) => step.from !== step.to)) {
    const arrow = chapter.split('\n').find((line) => line.trim().startsWith(`${from} --> ${to}: `));
    if (arrow === undefined) expect(chapter).toContain(`  any_open --> ${to}\n`);
    else expect(arrow).toContain(event);
  }
});

test('no arrow is drawn that a machine does not have', () => {
  const drawn = [...page.matchAll(/^ +([A-Z_]+) --> ([A-Z_]+): (.*)$/gm)].flatMap(([, from, to, events = '']) =>
    events.split(', ').map((event) => `${String(from)} ${event} ${String(to)}`),
  );
  const steps = [...runTransitions(), ...instanceTransitions(), ...publicationTransitions(), ...chainTransitions()];
  const real = steps.map(({ from, event, to }) => `${from} ${event} ${to}`);
  expect(drawn.length).toBeGreaterThan(10);
  expect(drawn.filter((step) => !real.includes(step))).toEqual([]);
});

test('what a link of a chain does is told for every state of the run before it and of its publication', () => {
  const rules = chainChapter
    .split('\n')
    .filter((line) => /^\| .* \| .* \| (waits|starts|is SKIPPED: [a-z_]+) \|$/.test(line));
  expect(rules).toContain('| CANCELLED | any | is SKIPPED: cancelled |');
  expect(rules).toContain('| SUCCEEDED, QUARANTINED, FAILED | PENDING, WRITTEN | waits |');
  expect(rules).toContain('| FAILED by the release itself | NONE, PUBLISHED, DRY_RUN | is SKIPPED: not_measurable |');
  for (const state of RunState.options) expect(rules.some((line) => line.split('|')[1]?.includes(state))).toBe(true);
});
