import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";

/** Deletes the declaration files that no entry's types lead to: they describe nothing a user can import. */
export function pruneDeclarations(folder, entries) {
  const reachable = new Set();
  const visit = (file) => {
    if (reachable.has(file) || !existsSync(file)) return;
    reachable.add(file);
    for (const [, target] of readFileSync(file, "utf8").matchAll(/from "(\.[^"]+)"/g))
      visit(path.resolve(path.dirname(file), target.replace(/\.[jt]s$/, ".d.ts")));
  };
  for (const entry of entries) visit(path.resolve(folder, entry));
  for (const file of readdirSync(folder, { recursive: true })) {
    const full = path.resolve(folder, file);
    if (full.endsWith(".d.ts") && !reachable.has(full)) rmSync(full);
  }
}
