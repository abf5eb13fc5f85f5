import { resolve } from "node:path";
import { readCommand, type ShellReading } from "../../shell/index.ts";
import { codeTexts, mentionedPaths, pathsInText, type TouchedPath, touchedPaths, workTrees } from "../../shell/paths/index.ts";
import { realTarget } from "../paths/index.ts";
import { patchNames } from "./on-disk.ts";
import { touchedAgent } from "./own-process.ts";
import { protectedPlaces } from "./places.ts";
import { protectedAt } from "./protected-path.ts";
import { headedBy, type Reach, type Reached } from "./reach/candidates.ts";
import { foldersInCode } from "./reach/folders-in-code.ts";
import { reachedBy, reachedByCode, reachedByPatch, reachedByTree } from "./reach/reached-by.ts";
import { changedSettings } from "./shell-settings.ts";
import type { ProtectContext } from "./types.ts";

/** Whether code of another language seems to change files or to start programs. Code that only reads is nobody's business. */
const CODE_CHANGES =
  /writ|append|put_contents|rmsync|rmdir|unlink|remove|delete|rename|replace|rmtree|mkdir|copy|move|\blink|symlink|truncate|chmod|chown|dump|save|touch|system|popen|exec|spawn|subprocess|shutil|open\s*\([^)]*,\s*(?:mode\s*=\s*)?["'][^"']*[wax+]|>|\bmv\b|\brm\b|\bcp\b|\btee\b|\bsink\b|\bfile\s*=/i;
/** The same of a text for a program with a little language of its own: the words of many of them, since nobody knows them all. */
const TEXT_CHANGES =
  /output|outfile|dumpfile|\.(?:once|backup|clone|log|cd|excel|open|shell)\b|\\[oTwgs!]|%output|\b(?:into|to|attach|redir|spool|w|wq|x|get|open|file|log\w*|set-content|add-content|pipe-pane|cd|lcd|edit|shell|dest\w*)\b/i;

/** What of the protected a shell command would change. */
export function protectCommand(text: string, context: ProtectContext): readonly Reached[] {
  const reading = readCommand(text);
  const reach = lazyReach(context);
  const touched = touchedPaths(reading, context);
  const found = [
    ...changedSettings(reading, text),
    ...touchedAgent(reading, text, { touched, agent: context.agent }),
    ...touched.flatMap((path) => reachedBy(withSource(path, touched), reach)),
    ...workTrees(reading, context).flatMap((tree) => reachedByTree(tree, reach)),
    ...patched(reading, touched, reach),
    ...linked(touched, reach),
    ...mentioned(reading, reach),
    ...takenByCode(reading, reach),
    ...guessed(text, { reading, touched, reach }),
  ];
  return found.filter(({ path }, index) => found.findIndex((other) => other.path === path) === index);
}

/** Most commands change nothing: the places are looked up only for one that does. */
function lazyReach(context: ProtectContext): Reach {
  let places: Reach["places"] | undefined;
  return {
    context,
    get places() {
      places ??= protectedPlaces(context);
      return places;
    },
  };
}

/** `patch -p1 < file`: what is read beside is what lands. */
function withSource(path: TouchedPath, touched: readonly TouchedPath[]): TouchedPath {
  if (path.how !== "write" || !path.isRecursive || path.from !== undefined) return path;
  const source = touched.find((other) => other.how === "read" && other.command === path.command && !other.isRecursive && !other.isGlob);
  return source?.path === undefined ? path : { ...path, from: source.path };
}

/** SECURITY: a link to what is protected gives it a name that the rest of the line, which is read before the link is there, can write to. */
function linked(touched: readonly TouchedPath[], reach: Reach): readonly Reached[] {
  return touched.flatMap(({ how, from }) => (how === "create-link" && from !== undefined ? namedAt(from, reach, true) : []));
}

/** A patch that a here-document holds. */
function patched({ commands }: ShellReading, touched: readonly TouchedPath[], reach: Reach): readonly Reached[] {
  return touched.flatMap((path) => {
    const { stdin, words } = commands[path.command] ?? {};
    if (path.how !== "write" || !path.isRecursive || path.path === undefined || stdin?.kind !== "text") return [];
    return words?.some(({ text }) => /(^|\/)(patch|apply|am)$/.test(text))
      ? reachedByPatch(patchNames(stdin.text), { path: path.path }, reach)
      : [];
  });
}

/** Programs whose doing we do not know, and code of other languages. A hook's script may well be given to a program: that is how it is tried out. */
function mentioned(reading: ShellReading, reach: Reach): readonly Reached[] {
  return mentionedPaths(reading, reach.context).flatMap((found): readonly Reached[] => {
    const { path, isGlob, where, code, tail } = found;
    const isChange = code === undefined || CODE_CHANGES.test(code) || (where === "text" && TEXT_CHANGES.test(code));
    if (isChange && path === undefined && tail !== undefined)
      return reachedBy({ path, tail, how: "write", span: NOWHERE, command: 0 }, reach);
    if (path === undefined || isGlob || !isChange) return [];
    return namedAt(path, reach, where !== "word");
  });
}

/** Code that takes away a folder above what is protected. */
function takenByCode(reading: ShellReading, reach: Reach): readonly Reached[] {
  const { home, cwd } = reach.context;
  return codeTexts(reading, reach.context).flatMap(({ code, folder = cwd }) =>
    foldersInCode(code, home).flatMap(({ path, isDirect }) => {
      const full = /^~(?:\/|$)/.test(path) ? `${home}${path.slice(1)}` : resolve(folder, path);
      return reachedByCode(full, isDirect, reach);
    }),
  );
}

const NOWHERE = { start: 0, end: 0 };

/** What people run by hand. */
const TRIED_OUT: ReadonlySet<string> = new Set(["hook script", "configuration of this run", "hookloop itself"]);

/** What is protected at a path that stands somewhere in the text; `withHolders`: also if it is only the folder of such things. */
function namedAt(path: string, { places, context }: Reach, withHolders: boolean): readonly Reached[] {
  const target = realTarget(path, context);
  const found = protectedAt(target, places, context) ?? (withHolders ? headedBy(target.path)[0]?.row : undefined);
  if (!found || (TRIED_OUT.has(found.what) && !withHolders)) return [];
  return [{ what: found.what, why: found.why, path }];
}

interface Known {
  readonly reading: ShellReading;
  readonly touched: readonly TouchedPath[];
  readonly reach: Reach;
}

/** SECURITY: where reading cannot tell what is changed, a protected name anywhere in the text is enough to ask. What is known to be only read does not count. */
function guessed(text: string, { reading, touched, reach }: Known): readonly Reached[] {
  const isBlind = reading.isUncertain || touched.some(({ path, tail, how }) => path === undefined && tail === undefined && how !== "read");
  if (!isBlind) return [];
  const reads = touched.filter(({ how, command }) => how === "read" && !LISTS.has(reading.commands[command]?.words[0]?.text ?? ""));
  let rest = text;
  for (const { span } of reads)
    rest = `${rest.slice(0, span.start)}${" ".repeat(Math.max(0, span.end - span.start))}${rest.slice(span.end)}`;
  return pathsInText(rest, reach.context).flatMap((path) => namedAt(path, reach, true));
}

/** What these read are names, which another program may take up. */
const LISTS: ReadonlySet<string> = new Set(["find", "ls", "dir", "tree", "fd"]);
