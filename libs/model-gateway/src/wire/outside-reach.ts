import { list, member } from '../json/json-access';
import type { Protocol } from './routes';

/** Bytes of the list of tools; more cannot be checked and is refused. */
const LONGEST_TOOLS = 8 * 1024 * 1024;
const LONGEST_SWITCH = 64 * 1024;

/**
 * Top-level fields by which a provider is asked to look outside on the client's behalf, or to go on without it: OpenAI,
 * Anthropic (MCP connector), OpenRouter (plugins), xAI and DashScope (search), OpenAI responses (background).
 */
const SWITCHES = [
  'web_search_options',
  'mcp_servers',
  'plugins',
  'search_parameters',
  'enable_search',
  'search_options',
  'background',
] as const;

/** Kinds of tools that the client itself carries out. Anthropic's carry a date, e.g. bash_20250124. */
const LOCAL_TOOLS: Readonly<Record<Protocol, RegExp>> = {
  chat: /^(function|custom)$/,
  responses: /^(function|custom|local_shell|shell|apply_patch|computer_use_preview|computer)$/,
  messages: /^(custom|(bash|text_editor|computer|memory)_\d{8})$/,
};

/** The fields that have to be read of a request, with the bytes that each may have. */
export const OUTSIDE_FIELDS: readonly (readonly [string, number])[] = [
  ['tools', LONGEST_TOOLS],
  ...SWITCHES.map((name) => [name, LONGEST_SWITCH] as const),
];

/**
 * What in a request would let the provider reach outside for the client (search the web, call a server, run in the
 * background), in words; null: nothing. A sandbox without a network has none by way of its model either.
 */
export function outsideReach(
  protocol: Protocol,
  fields: ReadonlyMap<string, readonly unknown[]>,
  tooLong: ReadonlySet<string>,
): string | null {
  const long = OUTSIDE_FIELDS.find(([name]) => tooLong.has(name));
  if (long !== undefined) return `${long[0]}, which is too long to be checked`;
  const on = SWITCHES.find((name) => (fields.get(name) ?? []).some(isOn));
  if (on !== undefined) return on;
  for (const tool of (fields.get('tools') ?? []).flatMap(list)) {
    const type = member(tool, 'type');
    // Anthropic's own tools have no type.
    const local =
      type === undefined ? protocol === 'messages' : typeof type === 'string' && LOCAL_TOOLS[protocol].test(type);
    if (!local) return `a tool of type ${type === undefined ? 'none' : JSON.stringify(type)}`.slice(0, 100);
  }
  return null;
}

function isOn(value: unknown): boolean {
  const empty = Array.isArray(value) && value.length === 0;
  return value !== null && value !== false && !empty;
}
