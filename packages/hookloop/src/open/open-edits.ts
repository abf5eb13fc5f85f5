/** What can change while a session runs: which hooks it has, and so which files its tools must leave alone. */

import path from "node:path";
import { configFiles, type FoundSources, type Registry, registerHooks } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { EngineParts, EngineTrust } from "../engine/index.ts";
import { type Protect, protect } from "../permissions/index.ts";
import {
  createLoadedFiles,
  examineHook,
  moduleFolders,
  type Trust,
  type TrustGate,
  type TrustStatus,
  type TrustStore,
} from "../trust/index.ts";
import { createApplyEdits } from "./apply-edits.ts";
import { createToolWatch } from "./watch-tools.ts";

interface EditablePlace {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly plugins?: readonly string[] | undefined;
  readonly managedRoot?: string | undefined;
  /** Files that the run was given by name. */
  readonly given?: readonly string[] | undefined;
}

export interface EditableParts extends EditablePlace {
  readonly found: FoundSources;
  readonly find: () => Promise<FoundSources>;
  readonly registry: Registry;
  readonly isStrict: boolean;
  readonly gate: TrustGate;
  readonly store: TrustStore;
  readonly approves: Trust;
  readonly trust: EngineTrust;
  readonly report: (diagnostic: Diagnostic) => void;
}

type Guarded = Pick<TrustStatus, "hook" | "pins">;

export function openEdits(parts: EditableParts): Pick<EngineParts, "applyEdits" | "configFiles" | "protect" | "trust" | "watch"> {
  const { registry, env, isStrict } = parts;
  let guarded: readonly Guarded[] = parts.trust.statuses;
  let { guard, named } = protectCall(parts, guarded);
  const apply = createApplyEdits({
    ...parts,
    switches: registry.switches,
    configFiles: () => configFiles(parts),
    register: ({ documents }) => registerHooks(documents, { env, strict: isStrict }),
  });
  const added = new Set<string>();
  return {
    trust: {
      ...parts.trust,
      async checkForEdits() {
        const { files, pending } = await parts.trust.checkForEdits();
        return { files, pending: pending.filter(({ hook }) => !added.has(hook.id)) };
      },
    },
    configFiles: () => configFiles(parts),
    protect: (call) => guard(call),
    watch: createToolWatch({ ...parts, files: () => named }),
    async applyEdits(files, before) {
      const result = await apply(files, before);
      for (const { id } of result.applied.added) added.add(id);
      guarded = [...guarded, ...result.applied.added.map((hook) => ({ hook }))];
      ({ guard, named } = protectCall(parts, guarded));
      return result;
    },
  };
}

/** SECURITY: the agent's tools may not change what decides which hooks run; no setting of a project reaches this. */
function protectCall(
  { cwd, home, env, plugins = [], managedRoot, given }: EditablePlace,
  statuses: readonly Guarded[],
): { readonly guard: Protect; readonly named: readonly string[] } {
  // Also those that are not pinned: hooks the program approves, and files that are not there yet.
  const named = statuses.flatMap(({ hook }) => {
    const { files: found, interpreted } = examineHook(hook, { projectRoot: cwd, home, path: "" });
    return [...found.flatMap(({ path, role }) => (role === "script" ? [path] : [])), ...interpreted.flatMap((one) => one.scripts)];
  });
  const pinned = statuses.flatMap(({ pins }) => pins?.record.files.map(({ realpath }) => realpath) ?? []);
  const folders = statuses.flatMap(({ hook, pins }) => [
    ...(pins?.moduleFolders ?? []),
    ...moduleFolders(examineHook(hook, { projectRoot: cwd, home, path: "" })),
  ]);
  const scripts = [...new Set([...pinned, ...named])];
  const files = statuses.flatMap(({ hook }) => hook.source.file ?? []);
  const loaded = createLoadedFiles(
    statuses.map(({ hook }) => hook),
    { projectRoot: cwd, home },
  );
  const context = { root: cwd, home, env, scripts, loaded, moduleFolders: [...new Set(folders)], files, given, plugins, managedRoot };
  const guard: Protect = ({ tool_name: tool, tool_input: input, cwd: folder, x_kind: kind }) =>
    protect({ tool, input, ...(typeof kind === "string" && { kind }) }, { ...context, cwd: typeof folder === "string" ? folder : cwd });
  return { guard, named: [...new Set([...files, ...scripts, ...(given ?? [])].map((file) => path.resolve(cwd, file)))] };
}
