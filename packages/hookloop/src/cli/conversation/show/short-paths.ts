import { visible, withOwnCommand } from "../../../diagnostic.ts";
import { asIs } from "../../terminal.ts";

/** Makes a text of ours, with what others gave us in it, fit to be shown: nothing in it steers the terminal, and paths and commands are as people write and type them. */
export type Shorten = (text: string) => string;

export function createShorten({ cwd, home }: { readonly cwd: string; readonly home: string | undefined }): Shorten {
  const inProject = wholePaths(cwd);
  const atHome = home === undefined ? undefined : wholePaths(home);
  return (given) => {
    const text = withOwnCommand(visible(given));
    const inside = inProject ? text.replace(inProject, "") : text;
    return atHome ? inside.replace(atHome, "~/") : inside;
  };
}

/** The folder at the beginning of a word: `x/tmp/p/y` is no path in `/tmp/p`, and `/tmp/p/` alone has no shorter name. */
function wholePaths(folder: string): RegExp | undefined {
  if (folder === "/" || folder === "") return undefined;
  const literal = folder.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![^\\s"'\`(\\[{<])${literal}/(?=[^\\s"'\`)\\]}>/])`, "g");
}

/** Contents: a diff, a file, a command and what it printed. Nothing in them steers the terminal, and nothing is made shorter. */
export function contents(text: string): string {
  return asIs(visible(text));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const OBEYED = /(?![\n\t])[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** The model's own words: nothing in them steers the terminal, but marks that belong to letters and pictures stay. */
export function spokenText(text: string): string {
  return asIs(text.replace(OBEYED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

/** A folder as people write it. */
export function shortFolder(folder: string, home: string | undefined = process.env["HOME"]): string {
  return home && (folder === home || folder.startsWith(`${home}/`)) ? `~${folder.slice(home.length)}` : folder;
}
