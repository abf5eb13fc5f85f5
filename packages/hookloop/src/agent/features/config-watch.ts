/**
 * Watches settings and skills: an edit fires ConfigChange, and is applied unless a hook blocks it. What it brings passes the trust gate,
 * and what guards the session stays (design rule 7).
 */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { counted } from "../../diagnostic.ts";
import type { AppliedEdits, ConfigFile } from "../../engine/index.ts";
import { fileContent, watchFiles } from "./file-watch.ts";
import type { AgentCore, Feature } from "./types.ts";

interface ConfigWatchOptions {
  readonly quietMs?: number | undefined;
}

export function openConfigWatch(core: AgentCore, { quietMs }: ConfigWatchOptions = {}): Feature {
  const folders = [core.root, core.home].map((folder) => path.join(folder, ".claude", "skills"));
  let settings: ReadonlyMap<string, ConfigSource> = new Map();
  const skills = watchFiles({
    look: fileContent,
    quietMs,
    onProblem: (text) => core.report({ code: "HL_AGENT_WATCH", level: "warning", text }),
    onEvent: async ({ file }) => {
      if (path.basename(file) === "SKILL.md") await changed(core, "skills", file);
      else skills.followGrowing(skillPaths(folders));
    },
  });
  const files = watchFiles({
    look: fileContent,
    quietMs,
    onProblem: (text) => core.report({ code: "HL_AGENT_WATCH", level: "warning", text }),
    onEvent: async ({ file }) => await changed(core, settings.get(file) ?? "project_settings", file),
  });
  return {
    async started() {
      settings = settingsFiles(await core.hooks.configFiles());
      files.follow([...settings.keys()]);
      skills.follow(skillPaths(folders));
    },
    heard({ fields }) {
      if (fields["reloadSkills"] === true) core.reloadSkills();
    },
    async beforeRequest() {
      await files.settle();
      skills.followGrowing(skillPaths(folders));
      await skills.settle();
    },
    close() {
      files.close();
      skills.close();
    },
  };
}

/** The folders are watched as well: a skill may come. */
function skillPaths(folders: readonly string[]): readonly string[] {
  return [...folders, ...skillFiles(folders)];
}

async function changed(core: AgentCore, source: ConfigSource, file: string): Promise<void> {
  const verdict = await core.fire("ConfigChange", { source, file_path: file });
  const isRefused = verdict.decision === "deny" || verdict.decision === "ask";
  // Policy of the machine counts whatever a hook says.
  if (isRefused && source !== "policy_settings") {
    const reasons = verdict.reasons.map(({ text }) => text).join("; ");
    core.emit({ type: "tell", text: `${file} was edited; a hook blocked it, and the edit is not applied: ${reasons}` });
    return;
  }
  if (source === "skills") {
    core.reloadSkills(file);
    core.emit({ type: "tell", text: `${file} was edited; the skill is read again.` });
    return;
  }
  core.emit({ type: "tell", text: appliedText(file, await core.hooks.applyEdits(editedFiles(file)), hasRules(core, file)) });
}

/** Of a folder (managed `hooks.d`), the files in it: also one that is gone is among what the session knows. */
function editedFiles(file: string): readonly string[] {
  try {
    return readdirSync(file).map((name) => path.join(file, name));
  } catch {
    // It is a file.
    return [file];
  }
}

/** Rules are in it now, or were when the session began. */
function hasRules({ permissions: { rules } }: AgentCore, file: string): boolean {
  if ([...rules.allow, ...rules.ask, ...rules.deny].some(({ place }) => place?.file === file)) return true;
  try {
    return /"permissions"\s*:\s*\{\s*"/.test(readFileSync(file, "utf8"));
  } catch {
    // It is gone, or a folder: there are none in it.
    return false;
  }
}

function appliedText(file: string, { added, removed, kept, refused }: AppliedEdits, isAboutRules: boolean): string {
  const waiting = refused.filter(({ hook }) => hook.source.file === file).length;
  // What waits for approval is in the file as well; only those that run count as added to the engine.
  const parts = [
    ...(added.length > 0 ? [`${counted(added.length, "hook was", "hooks were")} added`] : []),
    ...(removed.length > 0 ? [`${counted(removed.length, "hook was", "hooks were")} removed`] : []),
    ...(kept.length > 0 ? [`${counted(kept.length, "that guards this session stays", "that guard this session stay")} until it ends`] : []),
    ...(waiting > 0
      ? [`${counted(waiting, "hook is not approved and does", "hooks are not approved and do")} not run (hookloop trust review)`]
      : []),
    ...(added.length + removed.length + kept.length + waiting === 0 ? ["its hooks are the same"] : []),
  ];
  return `${file} was edited: ${parts.join(", ")}.${isAboutRules ? " Its permission rules count from the next session." : ""}`;
}

type ConfigSource = "user_settings" | "project_settings" | "local_settings" | "policy_settings" | "skills";

const SOURCES: Readonly<Partial<Record<ConfigFile["scope"], ConfigSource>>> = {
  user: "user_settings",
  project: "project_settings",
  local: "local_settings",
  managed: "policy_settings",
};

/** Each file that can hold settings, with what payloads call its scope. */
function settingsFiles(files: readonly ConfigFile[]): ReadonlyMap<string, ConfigSource> {
  return new Map(
    files.flatMap(({ file, scope }) => {
      const source = SOURCES[scope];
      return source ? [[file, source] as const] : [];
    }),
  );
}

/** The file of each skill there is a folder for. */
function skillFiles(folders: readonly string[]): readonly string[] {
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
