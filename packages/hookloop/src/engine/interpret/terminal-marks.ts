// SECURITY: a colour or a NUL before the JSON must not turn a no into text (fault 46).
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const MARKS = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-Z\\^-~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** The text without what only a terminal reads; nothing if there is nothing of it. */
export function withoutTerminalMarks(text: string): string | undefined {
  const clean = text.replace(MARKS, "");
  return clean === text ? undefined : clean;
}
