import { JsonFields } from '../json/json-fields';
import { OUTSIDE_FIELDS, outsideReach } from './outside-reach';
import type { Protocol } from './routes';

function reach(protocol: Protocol, body: unknown): string | null {
  const fields = new JsonFields(new Map(OUTSIDE_FIELDS));
  fields.feed(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  const scanned = fields.end();
  if (scanned.kind === 'malformed') throw new Error(scanned.reason);
  return outsideReach(protocol, scanned.fields, scanned.tooLong);
}

test.each<[Protocol, object]>([
  ['chat', {}],
  ['chat', { tools: null, web_search_options: null, enable_search: false, plugins: [] }],
  ['chat', { tools: [{ type: 'function', function: { name: 'web_search' } }] }],
  ['chat', { tools: [{ type: 'custom', custom: { name: 'x' } }], messages: [{ tools: [{ type: 'web_search' }] }] }],
  ['responses', { tools: [{ type: 'function', name: 'x' }, { type: 'local_shell' }, { type: 'custom' }] }],
  [
    'messages',
    {
      tools: [
        { name: 'Bash', input_schema: {} },
        { type: 'bash_20250124', name: 'bash' },
      ],
    },
  ],
  [
    'messages',
    {
      tools: [
        { type: 'text_editor_20250728', name: 'x' },
        { type: 'custom', name: 'y' },
      ],
    },
  ],
  ['responses', { tools: [{ type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'x' }] }] }],
  ['gemini', { tools: [{ functionDeclarations: [{ name: 'google_web_search' }], googleSearch: null }] }],
  ['gemini', { tools: [{ function_declarations: [] }], tool_config: {}, cachedContent: null }],
])('tools that the agent carries out itself are no reach: %s %j', (protocol, body) => {
  expect(reach(protocol, body)).toBeNull();
});

test.each<[Protocol, unknown, string]>([
  ['chat', { web_search_options: {} }, 'web_search_options'],
  ['chat', { enable_search: true }, 'enable_search'],
  ['chat', { plugins: [{ id: 'web' }] }, 'plugins'],
  ['chat', { search_parameters: { mode: 'auto' } }, 'search_parameters'],
  ['chat', { tools: [{ type: 'web_search' }] }, 'a tool of type "web_search"'],
  ['chat', { tools: [{ function: { name: 'x' } }] }, 'a tool of type none'],
  [
    'responses',
    { tools: [{ type: 'function' }, { type: 'web_search_preview' }] },
    'a tool of type "web_search_preview"',
  ],
  [
    'responses',
    { tools: [{ type: 'namespace', name: 'x', tools: [{ type: 'function' }, { type: 'web_search' }] }] },
    'a tool of type "web_search"',
  ],
  [
    'responses',
    { tools: [{ type: 'namespace', tools: [{ type: 'namespace', tools: [{ type: 'mcp' }] }] }] },
    'a tool of type namespace',
  ],
  ['chat', { tools: [{ type: 'namespace', tools: [] }] }, 'a tool of type "namespace"'],
  ['responses', { tools: [{ type: 'mcp', server_url: 'http://x' }] }, 'a tool of type "mcp"'],
  ['responses', { tools: [{ type: 'code_interpreter' }] }, 'a tool of type "code_interpreter"'],
  ['responses', { background: true }, 'background'],
  [
    'messages',
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    'a tool of type "web_search_20250305"',
  ],
  ['messages', { tools: [{ type: 'web_fetch_20250910' }] }, 'a tool of type "web_fetch_20250910"'],
  ['messages', { mcp_servers: [{ type: 'url', url: 'http://x' }] }, 'mcp_servers'],
  ['messages', { tools: [{ type: ['custom'] }] }, 'a tool of type ["custom"]'],
  ['messages', '{"tools":[{"type":"web_search_20250305"}],"tools":[]}', 'a tool of type "web_search_20250305"'],
  ['messages', '{"t\\u006fols":[{"type":"web_search_20250305"}]}', 'a tool of type "web_search_20250305"'],
  ['gemini', { tools: [{ googleSearch: {} }] }, 'a tool of type "googleSearch"'],
  ['gemini', { tools: [{ functionDeclarations: [], google_search: {} }] }, 'a tool of type "google_search"'],
  ['gemini', { tools: [{ functionDeclarations: [] }, { urlContext: {} }] }, 'a tool of type "urlContext"'],
  ['gemini', { tools: [{ codeExecution: {} }] }, 'a tool of type "codeExecution"'],
  ['gemini', { tools: ['googleSearch'] }, 'a tool of type none'],
  ['gemini', { cachedContent: 'cachedContents/x' }, 'cachedContent'],
  ['gemini', { cached_content: 'cachedContents/x' }, 'cached_content'],
  ['chat', { tools: 'x'.repeat(9_000_000) }, 'tools, which is too long to be checked'],
])('what the provider would do outside is: %s %.100j', (protocol, body, what) => {
  expect(reach(protocol, body)).toBe(what);
});
