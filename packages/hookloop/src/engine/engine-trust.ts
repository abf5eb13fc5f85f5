import type { EventName } from "@hookloop/sdk";
import { type ConfigDocument, EXTENSION, type RegisteredHook, type Registry, type SettingsCommand, scopeRank } from "../config/index.ts";
import { type Diagnostic, visible, visibleLine } from "../diagnostic.ts";
import type { StopCap } from "../judge/index.ts";
import type { Protect, RuleSource } from "../permissions/index.ts";
import type { ModelMessage, Programs } from "../run/index.ts";
import { createPlanner, type Planner, type PlannerOptions, selectHooks } from "../select/index.ts";
import {
  type Admission,
  type AdmittedHook,
  approvedDiagnostic,
  type RefusedHook,
  type Statuses,
  staleText,
  type TrustGate,
  type TrustStatus,
  type Withheld,
} from "../trust/index.ts";
import { type KnownEvents, openKnownEvents, reportUnfit, reportUnlisted } from "./known-events.ts";
import type { FileRules } from "./permit.ts";
import { reportResponse } from "./read-call.ts";
import { type Frontmatter, unregisteredDiagnostics } from "./register-function.ts";
import type { EventInput, Session, SettingRun, SettingRunOptions, ToolWatch } from "./session.ts";
import { namesOf } from "./unfit-input.ts";

/** What the files of a session say at one moment. It is never changed: an edit makes another one. */
export interface Configuration {
  readonly documents: readonly ConfigDocument[];
  readonly registry: Registry;
  readonly admission: Admission;
  /** The hooks whose files the agent's tools must leave alone. */
  readonly guarded: readonly Pick<TrustStatus, "hook" | "pins">[];
  readonly protect: Protect;
  /** Files that are looked at before and after each tool call. */
  readonly watched: readonly string[];
}

export interface SnapshotParts {
  readonly configuration: Configuration;
  /** The hooks of running skills and subagents. */
  readonly attached: ReadonlyMap<symbol, Admission>;
  /** Those that the program registered. */
  readonly functions: readonly RegisteredHook[];
}

/** All hooks of a session at one moment, and their plans. It is never changed: the engine replaces it as a whole. */
export interface Snapshot extends SnapshotParts {
  readonly admissions: readonly Admission[];
  /** The hooks that may run, and what blocks in the place of others. */
  readonly planned: readonly AdmittedHook[];
  readonly planner: Planner;
  /** Some hook of a file is refused, which the trust store may change. */
  readonly hasRefused: boolean;
  /** Made by the first firing: registering many hooks costs no more than a list. */
  readonly events: () => KnownEvents;
}

/** Admits by the switches that the session began with. Functions of the program need no statuses. */
export type Admit = (hooks: readonly RegisteredHook[], statuses?: Statuses, isEdit?: boolean) => Admission;

interface SnapshotMaker {
  readonly session: Session;
  readonly admit: Admit;
  readonly plannerOptions: PlannerOptions;
  /** Tools of the program besides the known ones. */
  readonly tools: readonly string[];
}

export function createSnapshot({ session, admit, plannerOptions, tools }: SnapshotMaker, parts: SnapshotParts): Snapshot {
  const { configuration, attached, functions } = parts;
  const ofFiles = [configuration.admission, ...attached.values()];
  const admissions = [...ofFiles, admit(functions)];
  const planned = admissions.flatMap(({ admitted, withheld }) => [...admitted, ...withheld]);
  const planner = createPlanner(planned, {
    ...plannerOptions,
    onNewPlan: (event, plan, input) => {
      reportUnfit(session, event, plan, input);
      const { tool_name: tool, tool_response: response } = input;
      reportUnlisted(session, event, tool, { tools, hooks: () => planner.selectable(event) });
      if (typeof tool === "string" && response !== undefined)
        reportResponse(session, tool, response, planner.selectable(event).flatMap(namesOf));
    },
  });
  let opened: KnownEvents | undefined;
  const open = (): KnownEvents => {
    for (const missing of unregisteredDiagnostics()) session.say({ type: "diagnostic", ...missing });
    return openKnownEvents(
      session,
      planner,
      admissions.flatMap(({ refused }) => refused),
    );
  };
  const events = (): KnownEvents => {
    opened ??= open();
    return opened;
  };
  const hasRefused = ofFiles.some(({ refused }) => refused.length > 0);
  return { configuration, attached, functions, admissions, planned, planner, hasRefused, events };
}

/** The hooks that would run for this input. */
export function matchingHooks(session: Session, snapshot: Snapshot, event: EventName, input: EventInput): readonly RegisteredHook[] {
  const whole = { ...session.commonInput, ...input };
  const plan = snapshot.events().get(event)?.plans.planFor(whole);
  return plan ? selectHooks(plan, whole, session.spent).map(({ hook }) => hook) : [];
}

export interface PluginFolder {
  readonly name: string;
  readonly root: string;
}

export interface EngineParts {
  readonly session: Session;
  /** What the session starts with. */
  readonly configuration: Configuration;
  readonly diagnostics: readonly Diagnostic[];
  readonly gate: TrustGate;
  readonly admit: Admit;
  readonly plannerOptions: PlannerOptions;
  readonly shellEnv: () => Readonly<Record<string, string>>;
  /** For one session: light ones have their own. */
  readonly createStopCap: () => StopCap;
  /** Tools of the agent besides the known ones. */
  readonly tools: readonly string[];
  readonly trust: Omit<EngineTrust, "checkForEdits">;
  readonly plugins: readonly PluginFolder[];
  readonly place: SessionPlace;
  readonly ruleSources: readonly RuleSource[];
  readonly fileRules: FileRules;
  readonly watch: ToolWatch;
  /** Reads these files again; gives the configuration that the session has from now on. */
  readonly applyEdits: (
    files: readonly string[],
    before: Configuration,
  ) => Promise<{ readonly configuration: Configuration; readonly applied: AppliedEdits }>;
  readonly checkForEdits: (now: Configuration) => ReturnType<EngineTrust["checkForEdits"]>;
  readonly configFiles: () => Promise<readonly ConfigFile[]>;
  readonly readFrontmatter: (frontmatter: Frontmatter) => Promise<Admission>;
  readonly close: () => Promise<void>;
  /** One more conversation with the same configuration; its hooks end with the signal, too. */
  readonly openLight: (options: LightSession) => Pick<EngineParts, "session" | "close">;
}

/** Where a session works; what comes with hookloop needs to know it. */
export interface SessionPlace {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** The folder of this user's state, outside of any checkout. */
  readonly stateFolder: string;
  /** The project and the folders added to it, at the time of the call. */
  readonly directories: () => readonly string[];
  readonly report: (diagnostic: Diagnostic) => void;
  /** Starts programs; what still runs ends with the session. */
  readonly programs: Pick<Programs, "run">;
  /** The workspace is trusted: code of the project may run. */
  readonly isTrusted: boolean;
  /** The conversation so far, where the program says it for all firings. */
  readonly messages?: (() => readonly ModelMessage[]) | undefined;
  /** Shows the notice, and has the conversation made short before the model is asked again; absent where nobody can. */
  readonly compact?: ((notice: { readonly text: string; readonly forMs: number }) => void) | undefined;
}

/** What the reference agent needs of its engine besides the API. */
export interface EngineInternals {
  readonly place: SessionPlace;
  /** Deny and ask rules of the files, ready to be asked: they hold also where `runTool` is given no rules. */
  readonly fileRules: FileRules;
  /** Comes with `close()`. */
  readonly closing: AbortSignal;
  /** The plugins of the session: those of the options, and those that are installed and enabled. */
  readonly plugins: readonly PluginFolder[];
  /** The files that the configuration comes from, also those that are not there. */
  readonly configFiles: () => Promise<readonly ConfigFile[]>;
  /**
   * Takes over what was edited in these files, through the trust gate: hooks that are not approved stay out, and what guards the session
   * stays in until it ends. What happened is also reported.
   */
  readonly applyEdits: (files: readonly string[]) => Promise<AppliedEdits>;
  /** The matchers of all hooks of an event; FileChanged makes its list of files of them. */
  readonly matchers: (event: EventName) => readonly string[];
  /** What every payload has: `session_id`, `transcript_path`, `cwd`. */
  readonly commonInput: EventInput;
  /** The hooks that would run for this input; none of them is run. */
  readonly matching: (event: EventName, input: EventInput) => readonly RegisteredHook[];
  /** The program's own bookkeeping: called at once, with nothing to say, and no step is made of it. */
  readonly observe: (event: EventName, tools: readonly string[], callback: (input: EventInput) => void) => () => void;
  /** Runs a command of the settings that is no hook, that of the highest source; nothing if there is none that may run. */
  readonly runSetting: (name: SettingsCommand, input: EventInput, options: SettingRunOptions) => Promise<SettingRun | undefined>;
}

/** A conversation of its own beside others, as a server has many. */
export interface LightSession {
  /** A new one if left out. */
  readonly sessionId?: string | undefined;
  /** Ends the hooks of this session. */
  readonly signal?: AbortSignal | undefined;
  /** More fields for every payload of this session. */
  readonly commonInput?: EventInput | undefined;
}

/** Configuration on disk that is not what the session runs with. */
export interface ConfigEdits {
  /** Files that were edited, made or removed since the session opened. */
  readonly files: readonly string[];
  /** Hooks that stand there now and are not the session's. None of them runs in it. */
  readonly pending: readonly TrustStatus[];
}

/** What came of applying an edit. */
export interface AppliedEdits {
  /** Hooks that run from now on. */
  readonly added: readonly RegisteredHook[];
  /** Hooks that run no more. */
  readonly removed: readonly RegisteredHook[];
  /** Hooks that the files do not have any more, and the session keeps. */
  readonly kept: readonly RegisteredHook[];
  /** Hooks of the configuration that did not pass the gate. */
  readonly refused: readonly RefusedHook[];
}

/** A file of the configuration, whether it is there or not. */
export interface ConfigFile {
  readonly file: string;
  readonly scope: RegisteredHook["source"]["scope"];
}

/** What a session knows about trust in its hooks. */
export interface EngineTrust {
  /** What each configured hook is. */
  readonly statuses: readonly TrustStatus[];
  /** Why the session must not start; empty if it may. */
  readonly cannotStart: readonly Diagnostic[];
  /** Gates that were approved for a folder above the session's: they are not read here, and nothing stands in for them. */
  readonly gatesAbove: readonly RegisteredHook[];
  /** Gates that were approved for these folders, or for folders above them; the session's own are not among them. */
  gatesOf(folders: readonly string[]): readonly RegisteredHook[];
  /** Reads the configuration again and says what differs from what the session started with. Applies nothing. */
  checkForEdits(): Promise<ConfigEdits>;
}

interface CatchUpParts {
  readonly gate: TrustGate;
  readonly admit: Admit;
}

type Report = (diagnostic: Diagnostic) => void;

/** The admission as it is by now, for a hook may be approved in another terminal while the session runs; the same object if nothing is different. */
export function catchUp(admission: Admission, { gate, admit }: CatchUpParts, report: Report): Admission {
  if (admission.refused.length === 0) return admission;
  const freed: AdmittedHook[] = [];
  const withheld = admission.withheld.filter((stand) => {
    const now = stand.withheld && gate.reconsider(stand.withheld);
    if (now !== undefined && now !== "gone") freed.push(now);
    return now === undefined;
  });
  const isShut = ({ hook, blocks }: RefusedHook): boolean => blocks === true && withheld.some(({ id }) => id === hook.id);
  const isFreed = ({ hook }: RefusedHook): boolean => freed.some(({ id }) => id === hook.id);
  // SECURITY: a gate that is in no file any more is not looked at: it must not come back to life from the record of its approval.
  const isAbsent = ({ hook, blocks }: RefusedHook): boolean =>
    blocks === true && !admission.withheld.some(({ id, withheld: one }) => id === hook.id && one?.of);
  // An extension is loaded when a session opens, or not at all.
  const isLate = ({ hook, reason }: RefusedHook): boolean => BY_TRUST.has(reason) && hook.setting !== EXTENSION;
  const others = admission.refused.filter((one) => isLate(one) && !isShut(one) && !isFreed(one) && !isAbsent(one));
  const asked = others.map(({ hook }) => hook);
  const again = admit(asked, gate.lookAgain(asked), true);
  if (withheld.length === admission.withheld.length && again.admitted.length === 0) return admission;
  const admitted = [...freed, ...again.admitted];
  for (const hook of admitted) report(approvedDiagnostic(hook));
  const left = admission.refused.filter((one) => !admitted.some(({ id }) => id === one.hook.id));
  const refused = left.flatMap((one) => (one.blocks && !isShut(one) ? noLongerBlocks(one, again, report) : one));
  return { admitted: inOrder([...admission.admitted, ...admitted]), refused, withheld };
}

/** Not by a switch: the store can change it. */
const BY_TRUST: ReadonlySet<RefusedHook["reason"]> = new Set(["untrusted", "changed", "refused", "unknown", "not-pinned", "wrong-pin"]);

/** It blocks no longer. If it still stands in a file, it is refused like any other hook that is not approved. */
function noLongerBlocks({ hook, blocks: _blocks, ...refusal }: RefusedHook, again: Admission, report: Report): readonly RefusedHook[] {
  const text = `The ${hook.source.scope} gate "${visibleLine(hook.name)}" no longer blocks: its approval was taken back, its removal was accepted, or what switches it off was approved.`;
  report({ code: "HL_TRUST_APPROVED_MEANWHILE", level: "notice", text, place: hook.place, hook: hook.id });
  return refusal.reason === "disabled" ? [{ hook, ...refusal }] : again.refused.filter((one) => one.hook.id === hook.id);
}

/** As the registry orders them: plans go by it. */
export function inOrder(hooks: readonly AdmittedHook[]): readonly AdmittedHook[] {
  return hooks.toSorted((a, b) => scopeRank(a.source.scope) - scopeRank(b.source.scope));
}

interface RecheckParts {
  readonly gate: TrustGate;
  readonly say: Session["say"];
}

const WITHHELD: Readonly<Record<Withheld["reason"], string>> = {
  changed: "it has changed since it was approved and was not run",
  refused: "it names too much to be checked and was not run",
  "not-pinned": "strict mode does not run what cannot be pinned",
  "wrong-pin": "it is not what was pinned for this run and was not run",
  unreadable: "it cannot be read and was not run",
  removed: "it was approved and is not in its file any more",
  unknown: "the trust store cannot be read, so it was not run",
  disabled: "a file of the project switches it off, although it was approved",
  untrusted: "it is not approved yet and was not run",
  above: "it was approved for a folder above this one and was not run",
  "managed-only": "managed policy lets only its own hooks run",
  "simple-mode": "simple mode runs no hooks",
  "project-hooks-off": "hooks of the project are switched off for this run",
};

/** Looks whether a gate that must not run may by now: undoing a change, or approving it in another terminal, lets it run again. */
export function createReconsider({ gate, say }: RecheckParts): Session["reconsider"] {
  return (hook) => {
    const { withheld } = hook;
    if (!withheld) return hook;
    const now = gate.reconsider(withheld);
    if (now) return now;
    say({ type: "refused", event: hook.event, hook: hook.id, name: hook.name, reason: withheld.reason, blocks: true });
    return { kind: "untrusted", text: WITHHELD[withheld.reason] };
  };
}

/** Looks at a hook right before it runs. A change is told with its diff, once; every run that it prevents is in the trace. */
export function createRecheck({ gate, say }: RecheckParts): Session["recheck"] {
  const told = new Set<string>();
  return (hook, cwd) => {
    const stale = gate.recheck(hook, cwd);
    if (!stale) return undefined;
    const { digest, diff, text } = stale;
    say({
      type: "refused",
      event: hook.event,
      hook: hook.id,
      name: hook.name,
      reason: stale.isRevoked ? "untrusted" : "changed",
      digest,
      diff,
    });
    const key = `${hook.id} ${digest} ${stale.isRevoked ?? false}`;
    if (!told.has(key)) {
      told.add(key);
      const whole = `${staleText(stale)}${diff === "" ? "" : `\n${diff}\n`}`;
      say({
        type: "diagnostic",
        event: hook.event,
        code: stale.isRevoked ? "HL_TRUST_REVOKED" : "HL_TRUST_CHANGED",
        level: "error",
        text: visible(whole),
        place: hook.place,
        hook: hook.id,
      });
    }
    return { kind: "untrusted", text };
  };
}
