/** One line of an event stream, at most: more is no event of ours. */
const MAX_LINE = 4_194_304;

/** The `data:` of every event of a text/event-stream, in order. Ends with the stream; throws what the stream throws. */
export async function* eventsOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    if (rest.length > MAX_LINE) throw new Error('an event of the stream is too long');
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trimStart();
  }
}
