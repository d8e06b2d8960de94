import { list, member } from '../json/json-access';
import type { Protocol } from './routes';

/** Bytes of the list of tools; more cannot be checked and is refused. */
const LONGEST_TOOLS = 8 * 1024 * 1024;
const LONGEST_SWITCH = 64 * 1024;

/**
 * Top-level fields by which a provider is asked to look outside on the client's behalf, or to go on without it: OpenAI,
 * Anthropic (MCP connector), OpenRouter (plugins), xAI and DashScope (search), OpenAI responses (background). Google's
 * servers take both spellings of a name (protobuf's JSON), and what they cached may hold tools.
 */
const SWITCHES = [
  'web_search_options',
  'mcp_servers',
  'plugins',
  'search_parameters',
  'enable_search',
  'search_options',
  'background',
  'cachedContent',
  'cached_content',
] as const;

/** Kinds of tools that the client itself carries out. Anthropic's carry a date, e.g. bash_20250124. */
const LOCAL_TOOLS: Readonly<Record<Exclude<Protocol, 'gemini'>, RegExp>> = {
  chat: /^(function|custom)$/,
  responses: /^(function|custom|local_shell|shell|apply_patch|computer_use_preview|computer)$/,
  messages: /^(custom|(bash|text_editor|computer|memory)_\d{8})$/,
};

/** Google names the kind by a field of the tool: `{"functionDeclarations": […]}`, `{"googleSearch": {}}`. */
const LOCAL_GEMINI = /^(functionDeclarations|function_declarations)$/;

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
    const kind = protocol === 'gemini' ? foreignKind(tool) : foreignType(protocol, tool);
    if (kind !== null) return `a tool of type ${kind}`.slice(0, 100);
  }
  return null;
}

function foreignType(protocol: Exclude<Protocol, 'gemini'>, tool: unknown): string | null {
  const type = member(tool, 'type');
  // Codex puts functions of one kind under a name: they are what counts.
  if (protocol === 'responses' && type === 'namespace') return foreignIn(member(tool, 'tools'));
  // Anthropic's own tools have no type.
  if (type === undefined) return protocol === 'messages' ? null : 'none';
  return typeof type === 'string' && LOCAL_TOOLS[protocol].test(type) ? null : JSON.stringify(type);
}

function foreignIn(tools: unknown): string | null {
  const found = list(tools).map((tool) =>
    member(tool, 'type') === 'namespace' ? 'namespace' : foreignType('responses', tool),
  );
  return found.find((kind) => kind !== null) ?? null;
}

function foreignKind(tool: unknown): string | null {
  if (typeof tool !== 'object' || tool === null) return 'none';
  const kind = Object.entries(tool).find(([name, value]) => isOn(value) && !LOCAL_GEMINI.test(name))?.[0];
  return kind === undefined ? null : JSON.stringify(kind);
}

function isOn(value: unknown): boolean {
  const empty = Array.isArray(value) && value.length === 0;
  return value !== null && value !== false && !empty;
}
