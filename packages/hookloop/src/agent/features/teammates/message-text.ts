/** An agent's words to another: it is told whose they are, and they cannot close the frame they stand in. */
export function messageText(from: string, text: string): string {
  const framed = text.replace(/<(?=\/?(?:system-reminder|teammate-message)\b)/gi, "&lt;");
  return `<teammate-message from="${from}">\n${framed}\n</teammate-message>`;
}
