/** Opening and closing brackets as they stand in UTF-8: no other character contains these bytes. */
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, QUOTE, BACKSLASH] = Buffer.from('{}[]"\\');

/** Tells, chunk by chunk, where a JSON document's brackets are closed: the bytes of the chunk that belong to it, or 0. Looks at every byte once. */
export function documentScanner(): (chunk: Uint8Array) => number {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  const closes = (byte: number): boolean => {
    if (inString) {
      inString = isEscaped || byte !== QUOTE;
      isEscaped = !isEscaped && byte === BACKSLASH;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return --depth <= 0;
    return false;
  };
  return (chunk) => chunk.findIndex(closes) + 1;
}
