import { accessSync, constants } from "node:fs";
import path from "node:path";

/** Folders that npm and npx put on the path of what they start; a shell does not have them. */
const OF_NPM = /[\\/]node_modules[\\/]\.bin[\\/]?$/;
let known: { readonly searched: string; readonly command: string } | undefined;

/** How a person starts hookloop in their shell: by its name if it is on their path, else with npx, as after the documented installation. */
export function ownCommand(searched: string = process.env["PATH"] ?? ""): string {
  if (known?.searched !== searched) known = { searched, command: isOnPath(searched) ? "hookloop" : "npx hookloop" };
  return known.command;
}

/** A text of ours in which commands can be typed as they stand. */
export function withOwnCommand(text: string): string {
  const command = ownCommand();
  return command === "hookloop" ? text : text.replace(COMMANDS, command);
}

const COMMANDS = /(?<!npx |[\w/@.-])hookloop(?= (?:agent|demo|events|schema|trust)\b)/g;

function isOnPath(searched: string): boolean {
  return searched.split(path.delimiter).some((folder) => {
    if (folder === "" || OF_NPM.test(folder)) return false;
    try {
      accessSync(path.join(folder, "hookloop"), constants.X_OK);
      return true;
    } catch {
      // Not in this folder: the next one is asked.
      return false;
    }
  });
}
