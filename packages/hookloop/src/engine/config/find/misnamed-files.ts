// Takes where a session runs. Says which files hold hooks or rules and are never read, because they have nearly the name of one that is.
import { opendirSync, statSync } from "node:fs";
import path from "node:path";
import { isEventName } from "../../../catalogue/index.ts";
import type { Diagnostic } from "../../../diagnostic.ts";
import { nearestName } from "../../../diagnostic.ts";
import { configFolder, insideFolders, readWithin } from "../../../permissions/index.ts";
import { PUT_ASIDE } from "../read/misplaced-hooks.ts";

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Folder {
  readonly folder: string;
  /** The names that are read there; empty where none is. */
  readonly names: readonly string[];
  /** What to write instead. */
  readonly right: (name: string) => string;
  /** The whole folder is for configuration of agents: rules alone are enough to be one. */
  readonly isOwn: boolean;
}

/** Where hooks are looked for, for people. */
export const LOOKED_FOR =
  ".hookloop/hooks.json, .hookloop/hooks.local.json, .claude/settings.json, .claude/settings.local.json and .hooks.json of this folder, and ~/.claude/settings.json and ~/.config/hookloop/hooks.json";

/** A listing is cut here: a folder of somebody else's making must not hold up the start. */
const MAX_ENTRIES = 2000;
const MAX_FILES = 8;
const MAX_BYTES = 256 * 1024;
/** `settings.json` in the ways that it gets written by hand; copies such as `settings.json.bak` are none. */
const NEARLY =
  /^\.?(?:(?:claude|hookloop|local)[._-]?)?(?:hooks?|settings?|hookloop|config|claude)(?:[._-]?(?:local|hooks?|settings?))?(?:\.(?:jsonc?|json5|ya?ml|toml|json\.txt))?$/i;

/** One finding per file. */
export function misnamedFiles(place: Place, read: ReadonlySet<string>): readonly Diagnostic[] {
  const within = insideFolders([place.cwd, place.home, configFolder(place)]);
  return foldersOf(place).flatMap((one) => {
    const files = namesIn(one.folder)
      .filter((name) => !one.names.includes(name) && (NEARLY.test(name) || (one.isOwn && isSlip(name, one.names))))
      .slice(0, MAX_FILES)
      .map((name) => path.join(one.folder, name))
      .filter((file) => !read.has(file) && !isSameAsRead(file, read));
    return files.flatMap((file) => {
      const found = readWithin(file, { within, limit: MAX_BYTES });
      const isMeant = found.kind === "read" && holdsConfiguration(found.bytes.toString("utf8"), one.isOwn);
      return isMeant ? [misnamed(file, one.right(path.basename(file)))] : [];
    });
  });
}

function isSlip(name: string, names: readonly string[]): boolean {
  if (name.length > 40 || !name.endsWith(".json") || PUT_ASIDE.test(name)) return false;
  const stem = (one: string): string => one.replace(/\.json$/, "");
  return nearestName(stem(name), names.map(stem)) !== undefined;
}

function foldersOf(place: Place): readonly Folder[] {
  const { cwd, home } = place;
  const isLocal = (name: string): boolean => /local/i.test(name);
  const claude = (name: string): string => (isLocal(name) ? ".claude/settings.local.json" : ".claude/settings.json");
  const native = (name: string): string => (isLocal(name) ? ".hookloop/hooks.local.json" : ".hookloop/hooks.json");
  const all: Folder[] = [
    { folder: path.join(cwd, ".claude"), names: ["settings.json", "settings.local.json"], right: claude, isOwn: true },
    { folder: path.join(cwd, ".hookloop"), names: ["hooks.json", "hooks.local.json"], right: native, isOwn: true },
    { folder: path.join(cwd, ".claude", "hooks"), names: [], right: claude, isOwn: true },
    { folder: path.join(cwd, ".hookloop", "hooks"), names: [], right: native, isOwn: true },
    { folder: cwd, names: [".hooks.json"], right: (name) => `.claude/settings.json or ${native(name)}`, isOwn: false },
    { folder: path.join(home, ".claude"), names: ["settings.json"], right: () => "~/.claude/settings.json", isOwn: true },
    { folder: configFolder(place), names: ["hooks.json"], right: () => path.join(configFolder(place), "hooks.json"), isOwn: true },
  ];
  const misspelt = namesIn(cwd).filter((name) => /^\.?(?:claude|hookloop)$/i.test(name) && !/^\.(?:claude|hookloop)$/.test(name));
  for (const name of misspelt.slice(0, MAX_FILES))
    all.push({ folder: path.join(cwd, name), names: [], right: /claude/i.test(name) ? claude : native, isOwn: name.startsWith(".") });
  return all.filter(({ folder }, index) => all.findIndex((other) => other.folder === folder) === index);
}

function namesIn(folder: string): readonly string[] {
  const names: string[] = [];
  try {
    const listing = opendirSync(folder);
    try {
      for (let entry = listing.readSync(); entry && names.length < MAX_ENTRIES; entry = listing.readSync()) names.push(entry.name);
    } finally {
      listing.closeSync();
    }
  } catch {
    // Not there, or not ours to list: what is read from it is reported by who reads it.
  }
  return names;
}

/** Where case makes no difference, or a link leads to the right file, it is read by its right name. */
function isSameAsRead(file: string, read: ReadonlySet<string>): boolean {
  const own = identityOf(file);
  return own !== undefined && [...read].some((other) => identityOf(other) === own);
}

function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file);
    return `${dev}:${ino}`;
  } catch {
    // Not there, or a link that leads nowhere.
    return undefined;
  }
}

/** An event as a key; in a folder that anything may stand in, beside the word `hooks`. Text that is no JSON counts: its syntax may be the next mistake. */
function holdsConfiguration(text: string, isOwn: boolean): boolean {
  const keys = text.matchAll(/(?<![\w.])["']?([A-Z][A-Za-z]{3,24})["']?\s{0,20}[:=]/g);
  const hasHooks = /(?<![\w.])["']?hooks["']?\s{0,20}[:=]|\[+hooks\b/.test(text);
  if ((isOwn || hasHooks) && [...keys].some(([, key = ""]) => isEventName(key))) return true;
  return isOwn && (hasHooks || /["']permissions["']\s{0,20}:\s{0,20}\{\s{0,200}["'](?:allow|deny|ask)["']/.test(text));
}

function misnamed(file: string, right: string): Diagnostic {
  const text = `This file looks like hooks or permission rules and is never read: nothing in it counts. Move what it says to ${right}.`;
  return { code: "HL_CONFIG_MISNAMED", level: "warning", text, place: { file } };
}
