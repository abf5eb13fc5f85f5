import { chmodSync, lstatSync, mkdirSync } from "node:fs";

/** Makes a folder that only this user can look into, or makes an existing one so. Throws if that is not possible. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = lstatSync(folder);
  // SECURITY: a link could lead into a folder of somebody else; `recursive` accepts one without a word.
  if ((mode & 0o170000) !== 0o040000) throw new Error(`${folder} is not a folder of its own (a symlink?)`);
  if ((mode & 0o077) === 0) return;
  if (uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user and is open to others`);
  chmodSync(folder, 0o700);
}
