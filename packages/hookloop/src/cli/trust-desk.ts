import { homedir } from "node:os";
import path from "node:path";
import { configFiles, findSources, type RegisteredHook, registerHooks } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { concernOf, fileAbove, openTrust } from "../open/trust.ts";
import { snapshotEnvironment } from "../run/index.ts";
import {
  aboveDiagnostic,
  admitHooks,
  isSwitch,
  type PendingHook,
  remember,
  type Statuses,
  type TrustStatus,
  type TrustStore,
} from "../trust/index.ts";

/** A configured hook as the trust commands show it. */
export interface ListedHook extends TrustStatus {
  /** Whether it would run in a session now. */
  readonly runs: boolean;
  /** It does not run, and blocks what it matches. */
  readonly blocks?: boolean | undefined;
  /** Why not. */
  readonly reason?: string | undefined;
}

export interface TrustDesk {
  readonly hooks: readonly ListedHook[];
  readonly diagnostics: readonly Diagnostic[];
  readonly store: TrustStore;
  /** Looks at one hook anew: what it is in this moment. */
  look(hook: RegisteredHook): ListedHook;
  /** Writes a person's word about a hook that was looked at. Throws if the store cannot be written. */
  decide(listed: ListedHook, verdict: "approved" | "refused", how: "review" | "command"): Promise<void>;
}

/**
 * Reads the configuration of the current folder and what is trusted of it, with the plugins that a session is started with.
 * SECURITY: nothing of the project is run, git neither.
 */
export async function openTrustDesk(cwd: string = process.cwd(), pluginFolders: readonly string[] = []): Promise<TrustDesk> {
  const plugins = pluginFolders.map((folder) => path.resolve(cwd, folder));
  const env = snapshotEnvironment(process.env);
  const home = env["HOME"] !== undefined && path.isAbsolute(env["HOME"]) ? env["HOME"] : homedir();
  const diagnostics: Diagnostic[] = [];
  const found = await findSources({ cwd, home, env, plugins, isWorkspaceTrusted: "either" });
  const registry = registerHooks(found.documents, { env });
  const isStrict = registry.settings["strict"] === true;
  const { gate, store } = openTrust({ trust: "store", isStrict, cwd, home, env, report: (diagnostic) => diagnostics.push(diagnostic) });
  const listed = (status: TrustStatus, statuses: Statuses): ListedHook => {
    const { hook } = status;
    const [refused] = admitHooks({ hooks: [hook], switches: registry.switches, statuses: new Map([...statuses, [hook, status]]) }).refused;
    const reason = refused?.reason === "managed-only" ? `Blocked by policy. ${refused.text}` : refused?.text;
    return { ...status, runs: !refused && !status.isAbsent, reason, ...(refused?.blocks && { blocks: true }) };
  };
  const concern = concernOf({ found, files: await configFiles({ cwd, home, env }), plugins, switches: registry.switches });
  const statuses = gate.look(registry.hooks, concern);
  const above = gate.approvedAbove(fileAbove(found));
  const hooks = [...statuses.values(), ...above].map((status) => listed(status, statuses));
  return {
    hooks,
    diagnostics: [
      ...found.diagnostics,
      ...found.documents.flatMap((document) => document.diagnostics),
      ...registry.diagnostics,
      ...aboveDiagnostic(above),
      ...diagnostics,
    ],
    store,
    look(hook) {
      // All of them: what took the place of what can only be told from the whole.
      const all = gate.look(registry.hooks, concern);
      // What is in no file, and a switch, is made anew each time.
      const status = all.get(hook) ?? [...all.values()].find((one) => (one.isAbsent || isSwitch(hook)) && one.hook.id === hook.id);
      return listed(status ?? { hook, state: "new", isAbsent: true }, all);
    },
    async decide(status, verdict, how) {
      if (!status.digest || !status.pins) throw new Error(`trust in "${status.hook.name}" is not by content: nothing to decide`);
      await remember(store, [{ status: status as PendingHook, verdict, how }]);
    },
  };
}
