/** A skill or a slash command as the model gets it: its text, with what was typed after its name filled in. */
import path from "node:path";
import type { Definition } from "./read-definition.ts";

/** Name of a skill's folder: what is typed after the slash, also if its head has another name. */
export function skillFolder({ name, file, scope }: Pick<Definition, "name" | "file" | "scope">): string {
  const folder = path.basename(path.dirname(file));
  return scope === "plugin" && name.includes(":") ? `${name.slice(0, name.lastIndexOf(":"))}:${folder}` : folder;
}

/** By its name or by that of its folder. */
export function findSkill(skills: ReadonlyMap<string, Definition>, name: string): Definition | undefined {
  return skills.get(name) ?? [...skills.values()].find((skill) => skillFolder(skill) === name);
}

/** A field of a head is off: `false`, or the word for it. */
export function isOff(value: unknown): boolean {
  return value === false || (typeof value === "string" && /^(?:false|no|off)$/i.test(value.trim()));
}

/** The same for yes. */
export function isOn(value: unknown): boolean {
  return value === true || (typeof value === "string" && /^(?:true|yes|on)$/i.test(value.trim()));
}

export interface TypedArguments {
  readonly args: string;
  readonly sessionId: string;
}

export function skillText({ file, body }: Definition, { args, sessionId }: TypedArguments): string {
  const folder = path.dirname(file);
  const values = { CLAUDE_SKILL_DIR: folder, CLAUDE_SESSION_ID: sessionId };
  return `Base directory for this skill: ${folder}\n\n${fillArguments(body, args, values)}`;
}

export function commandText({ body }: Definition, { args, sessionId }: TypedArguments): string {
  return fillArguments(body, args, { CLAUDE_SESSION_ID: sessionId });
}

const PLACES = /\$\{(\w+)\}|\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS(?!\w)|\$(\d+)(?!\w)/g;

/**
 * `$ARGUMENTS` is everything after the name; `$0` and `$ARGUMENTS[0]` its first word, in the quotes of a shell. A place for a word that
 * was not typed stays as it is, and a text without any place gets the arguments at its end.
 */
function fillArguments(body: string, args: string, values: Readonly<Record<string, string>>): string {
  const words = wordsOf(args);
  let isUsed = false;
  const text = body.replace(PLACES, (place, name?: string, listed?: string, numbered?: string) => {
    if (name !== undefined) return Object.hasOwn(values, name) ? (values[name] ?? place) : place;
    isUsed = true;
    const index = listed ?? numbered;
    return index === undefined ? args : (words[Number(index)] ?? place);
  });
  return isUsed || args === "" ? text : `${text}\n\nARGUMENTS: ${args}`;
}

/** Words as a shell would split them; what was typed is a sentence, so a quote that nothing closes is an apostrophe. */
function wordsOf(text: string): readonly string[] {
  const words = text.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\S)+/gs) ?? [];
  return words.map((word) =>
    word.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'/gs,
      (_, double?: string, single?: string) => single ?? (double ?? "").replace(/\\(.)/gs, "$1"),
    ),
  );
}
