import { loadParser } from "../../load-parser.ts";
import { isSpecialFile } from "../../wrappers/started.ts";
import type { Place } from "../place.ts";
import type { Reader } from "../reader.ts";
import { mayChangeFolder } from "../state/folders.ts";
import { ShellState } from "../state/shell-state.ts";

/** Ends the here-document in which text is parsed: there `$(…)` and backticks are commands, and quotes are text. */
const END = "hookloop-end-of-text";

/**
 * SECURITY: reads the commands in quoted text as soon as anything in the line evaluates text, whether or not this text is seen to get
 * there: `[[ -v 'a[$(rm x)]' ]]` runs rm. Where text does get there, or may, more may run than is read.
 */
export function readEvaluated(reader: Reader): void {
  const { found } = reader;
  const seen = new Set<string>();
  for (;;) {
    // What is read adds more of both.
    const next = found.texts.find(({ text, isScript }) => !seen.has(text) && (isScript || found.evaluated.isActive));
    if (!next) break;
    seen.add(next.text);
    const state = new ShellState(next.place.state);
    state.forget();
    // It runs where the text stands, and the state is that of the end.
    if (mayChangeFolder(next.place.source)) state.folders.goAnywhere();
    const inside = { ...next.place, state, stdin: undefined, redirects: [], printsData: false, isAssignment: false };
    if (next.isScript) reader.readScript(next.text, inside);
    else readText(next.text, inside, reader);
  }
  for (const { text, span } of found.startFiles)
    if (isSpecialFile(text)) found.doubt("dynamic-script", "A shell runs commands from a place that is known only when it runs.", span);
  for (const { span, how } of found.evaluated.hidden(found.commands, found.functions)) {
    const what = { code: "arithmetic or a subscript", name: "the name of a variable", prompt: "a prompt" }[how];
    found.doubt("dynamic-script", `The shell evaluates text as ${what}, and runs the commands in it.`, span);
  }
}

function readText(text: string, place: Place, { found, readNode }: Reader): void {
  if (!found.mayParse(text)) return;
  const source = `: <<${END}\n${text}\n${END}\n`;
  const { commands, errors } = loadParser().parse(source);
  const command = commands[0]?.command;
  const redirect = command?.type === "Command" ? command.redirects[0] : undefined;
  if (errors?.length || commands.length !== 1 || redirect?.type !== "HereDoc" || text.includes(END)) {
    found.doubt("unparsable", "Text that is evaluated could not be parsed.", place.fixed);
    return;
  }
  readNode(redirect.body, { ...place, source });
}
