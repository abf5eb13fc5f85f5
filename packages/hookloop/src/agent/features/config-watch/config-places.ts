import { readdirSync } from "node:fs";
import path from "node:path";
import type { ConfigFile } from "../../../engine/index.ts";

export type ConfigSource = "user_settings" | "project_settings" | "local_settings" | "policy_settings" | "skills";

const SOURCES: Readonly<Partial<Record<ConfigFile["scope"], ConfigSource>>> = {
  user: "user_settings",
  project: "project_settings",
  local: "local_settings",
  managed: "policy_settings",
};

/** Each file that can hold settings, with what payloads call its scope. */
export function settingsFiles(files: readonly ConfigFile[]): ReadonlyMap<string, ConfigSource> {
  return new Map(
    files.flatMap(({ file, scope }) => {
      const source = SOURCES[scope];
      return source ? [[file, source] as const] : [];
    }),
  );
}

/** The file of each skill there is a folder for. */
export function skillFiles(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => {
    try {
      return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [path.join(folder, entry.name, "SKILL.md")] : [],
      );
    } catch {
      // Most projects have no skills.
      return [];
    }
  });
}
