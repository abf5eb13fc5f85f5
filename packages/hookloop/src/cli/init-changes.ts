/** Takes which shipped hooks a project wants, gives the changes of its files: of the native file, of Claude Code's settings, of .gitignore. */

import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { parse } from "jsonc-parser";
import { shippedEntries } from "../builtin/index.ts";
import type { ShippedName } from "../catalogue/index.ts";
import { groupBy, isObject } from "../check-options.ts";
import { appendToList, type Edited, type FileChange, newJson, parseJson } from "../config/index.ts";
import { type Diagnostic, ownCommand, type Place } from "../diagnostic.ts";

const NATIVE = ".hookloop/hooks.json";
const CLAUDE = ".claude/settings.json";

export function hookChange(target: "native" | "claude", names: readonly ShippedName[], root: string): FileChange {
  return target === "native" ? nativeChange(names) : claudeChange(names, root);
}

function nativeChange(names: readonly ShippedName[]): FileChange {
  return {
    file: NATIVE,
    change(text) {
      if (text === undefined) return { text: newJson(["use"], names) };
      const used = listAt(text, ["use"]).map((one) => (isObject(one) ? one["name"] : one));
      const missing = names.filter((name) => !used.includes(name));
      return missing.length === 0 ? { text } : appendToList(text, { file: NATIVE, path: ["use"], items: missing });
    },
  };
}

interface Entry {
  readonly event: string;
  readonly matcher: string | undefined;
  readonly command: string;
  readonly timeout: number;
  readonly isThere: (command: string) => boolean;
}

/** Plain command hooks: a comment or a key of our own would make Claude Code drop the whole file. */
function claudeChange(names: readonly ShippedName[], root: string): FileChange {
  const entries = names.flatMap((name) =>
    shippedEntries(name).map(({ event, matcher, seconds }): Entry => {
      const there = new RegExp(`\\bhookloop(?:\\.js)?["']?\\s+hook\\s+${name}(?![\\w-])`);
      return { event, matcher, command: `${launcher(root)} hook ${name}`, timeout: seconds, isThere: (command) => there.test(command) };
    }),
  );
  return {
    file: CLAUDE,
    change(text = "{}\n") {
      const { extension } = parseJson({ text, file: CLAUDE });
      if (extension) return { problem: wouldDrop(extension) };
      const missing = entries.filter(({ event, isThere }) => !commandsAt(text, event).some(isThere));
      const groups = groupBy(missing, ({ event, matcher }) => JSON.stringify([event, matcher ?? null])).values();
      return [...groups].reduce<Edited>((edited, group) => ("problem" in edited ? edited : appendGroup(edited.text, group)), { text });
    },
  };
}

function appendGroup(text: string, group: readonly Entry[]): Edited {
  const [{ event = "", matcher } = {}] = group;
  const hooks = group.map(({ command, timeout }) => ({ type: "command", command, timeout }));
  return appendToList(text, { file: CLAUDE, path: ["hooks", event], items: [{ ...(matcher !== undefined && { matcher }), hooks }] });
}

function wouldDrop({ what, place }: { readonly what: string; readonly place: Place }): Diagnostic {
  const text = `There is a ${what} in this file, for which Claude Code drops all of it: no hook in it would run. Remove it first.`;
  return { code: "HL_CONFIG_CLAUDE_WOULD_DROP_FILE", level: "error", text, place };
}

/** Its name, or this very program where a shell does not find it by name. */
function launcher(root: string): string {
  const command = ownCommand(process.env["PATH"] ?? "", root);
  if (command === "hookloop" || command === "npx hookloop") return command;
  const [, started = command] = process.argv;
  return `node '${realpathSync(started).replaceAll("'", "'\\''")}'`;
}

function listAt(text: string, keys: readonly string[]): readonly unknown[] {
  const found = keys.reduce<unknown>(
    (value, key) => (isObject(value) ? value[key] : undefined),
    parse(text.replace(/^\uFEFF/, ""), [], { allowTrailingComma: true }),
  );
  return Array.isArray(found) ? found : [];
}

function commandsAt(text: string, event: string): readonly string[] {
  const hooks = listAt(text, ["hooks", event]).flatMap((group) => (isObject(group) && Array.isArray(group["hooks"]) ? group["hooks"] : []));
  return hooks.flatMap((hook: unknown) =>
    isObject(hook) ? [[hook["command"], ...(Array.isArray(hook["args"]) ? hook["args"] : [])].join(" ")] : [],
  );
}

const IGNORED = [".hookloop/*", "!.hookloop/hooks.json", "!.hookloop/hooks/", "!.hookloop/*.cases.*"];

/** What hooks and agents write below .hookloop stays out of git; configuration, hooks and cases do not. Nothing where there is no git. */
export function gitignoreChange(root: string): FileChange | undefined {
  const file = ".gitignore";
  if (!existsSync(path.join(root, ".git")) && !existsSync(path.join(root, file))) return undefined;
  return {
    file,
    change(text = "") {
      const lines = text.split(/\r?\n/).map((line) => line.trim());
      const eol = text.includes("\r\n") ? "\r\n" : "\n";
      const missing = IGNORED.filter((line) => !lines.includes(line));
      if (missing.length === 0 || lines.includes(IGNORED[0] ?? "")) return { text };
      const gap = text === "" || text.endsWith("\n") ? "" : eol;
      return { text: `${text}${gap}${missing.join(eol)}${eol}` };
    },
  };
}
