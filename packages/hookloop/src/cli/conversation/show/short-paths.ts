import { visible } from "../../../visible-text.ts";

/** Makes a text of somebody else fit to be shown: nothing in it steers the terminal, and paths are as short as people write them. */
export type Shorten = (text: string) => string;

export function createShorten({ cwd, home }: { readonly cwd: string; readonly home: string | undefined }): Shorten {
  return (text) => {
    const inside = visible(text).replaceAll(`${cwd}/`, "");
    return home === undefined || home === "/" ? inside : inside.replaceAll(`${home}/`, "~/");
  };
}

/** A folder as people write it. */
export function shortFolder(folder: string, home: string | undefined = process.env["HOME"]): string {
  return home && (folder === home || folder.startsWith(`${home}/`)) ? `~${folder.slice(home.length)}` : folder;
}
