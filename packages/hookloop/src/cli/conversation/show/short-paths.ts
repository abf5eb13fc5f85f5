import { visible } from "../../../visible-text.ts";

/** Makes a text of somebody else fit to be shown: nothing in it steers the terminal, and paths are as short as people write them. */
export type Shorten = (text: string) => string;

export function createShorten({ cwd, home }: { readonly cwd: string; readonly home: string | undefined }): Shorten {
  return (text) => {
    const inside = visible(text).replaceAll(`${cwd}/`, "");
    return home === undefined || home === "/" ? inside : inside.replaceAll(`${home}/`, "~/");
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const OBEYED = /(?![\n\t])[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** The model's own words: nothing in them steers the terminal, but marks that belong to letters and pictures stay. */
export function spokenText(text: string): string {
  return text.replace(OBEYED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A folder as people write it. */
export function shortFolder(folder: string, home: string | undefined = process.env["HOME"]): string {
  return home && (folder === home || folder.startsWith(`${home}/`)) ? `~${folder.slice(home.length)}` : folder;
}
