/** The JSON of a message's body; undefined, which no schema takes, where it is none. */
export function jsonOf(message: { json(): unknown }): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
