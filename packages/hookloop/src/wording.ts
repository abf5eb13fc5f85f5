/** The few rules of grammar that messages share. */

/** `1 message`, `2 messages`; another plural where an s is not enough. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** A text of somebody else inside a sentence of ours, which goes on behind it: without its own end. */
export function clause(text: string): string {
  return text.trimEnd().replace(/(?:(?<!\.)\.|[;:,])$/, "");
}

/** A text of somebody else as a sentence of its own. */
export function sentence(text: string): string {
  return /[.?!]$/.test(text.trimEnd()) ? text.trimEnd() : `${text.trimEnd()}.`;
}

/** What is said behind the name of whoever says it: without the name, if it begins with that. */
export function afterName(name: string, text: string): string {
  return name !== "" && text.startsWith(`${name}: `) ? text.slice(name.length + 2) : text;
}

/** What became of a run ("it did not end within 5 s", "the run was cancelled"), told of what was run. */
export function toldOf(subject: string, end: string): string {
  const [, rest] = /^(?:it|the run) (.*)$/s.exec(end) ?? [];
  return rest === undefined ? `${subject} failed: ${end}` : `${subject} ${rest}`;
}
