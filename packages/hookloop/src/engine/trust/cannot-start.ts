import { EVENTS, type HookKind } from "../../catalogue/index.ts";
import type { ConfigDocument, RegisteredHook } from "../../config/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import type { ErrorCode } from "../../errors.ts";
import type { Admission } from "./admit-hooks.ts";
import { aboveDiagnostic } from "./gates-above.ts";
import type { Statuses } from "./open-gate.ts";
import type { TrustStatus } from "./types.ts";

export interface StartOptions {
  readonly documents: readonly ConfigDocument[];
  /** Findings about files that gave no document. */
  readonly unread: readonly Diagnostic[];
  /** Deny and ask rules of files that cannot be read. */
  readonly lostRules: readonly Diagnostic[];
  readonly managedRoot: string;
  readonly admission: Admission;
  readonly statuses: Statuses;
  /** Approved gates of folders above. */
  readonly above: readonly TrustStatus[];
  readonly hasRunner: (kind: HookKind) => boolean;
  /** The file of `--settings`, if it is one. */
  readonly settingsFile?: string | undefined;
  /** Every configured gate must be able to run, not only what policy requires. */
  readonly requireHooks: boolean;
}

/** Why the session must not start: no folder, policy that cannot be read or run, and on request every gate that cannot run. */
export function cannotStart(options: StartOptions): readonly Diagnostic[] {
  const { admission, requireHooks } = options;
  const mustRun = (hook: RegisteredHook): boolean =>
    (hook.source.scope === "managed" && hook.fields?.["required"] === true) || (requireHooks && EVENTS[hook.event].role === "gate");
  return [
    ...noProject(options),
    ...brokenPolicy(options),
    ...brokenSettings(options),
    ...(requireHooks ? [...brokenFiles(options), ...leftOut(options)] : []),
    ...admission.refused.flatMap(({ hook, text }) => (mustRun(hook) ? [required(hook, text)] : [])),
    ...admission.admitted.filter(mustRun).flatMap((hook) => obstacles(hook, options).map((text) => required(hook, text))),
  ];
}

/** What was left out of a managed file may have been required: that is no longer known. */
function brokenPolicy({ documents, unread, managedRoot }: StartOptions): readonly Diagnostic[] {
  const managed = documents.filter(({ source }) => source.scope === "managed").flatMap(({ diagnostics }) => diagnostics);
  const lost = unread.filter(({ place }) => place?.file.startsWith(`${managedRoot}/`));
  return [...managed, ...lost]
    .filter(({ level }) => level === "error")
    .map(({ code, text, place }) => ({
      code: "HL_TRUST_REQUIRED",
      level: "error",
      text: `Managed policy is broken (${code}): ${text}`,
      place,
    }));
}

const UNREADABLE: readonly ErrorCode[] = ["HL_CONFIG_UNREADABLE", "HL_CONFIG_TOO_LARGE", "HL_CONFIG_TOO_DEEP", "HL_CONFIG_INVALID_JSON"];

/** SECURITY: settings that were asked for and are no settings: the guards in them would be missing, and nothing is known of them. */
function brokenSettings({ documents, unread, settingsFile }: StartOptions): readonly Diagnostic[] {
  const given = documents.filter(({ source }) => source.scope === "flag").flatMap(({ diagnostics }) => diagnostics);
  const lost = unread.filter(({ place }) => place?.file === (settingsFile ?? "--settings"));
  return [...given, ...lost]
    .filter(({ code }) => UNREADABLE.includes(code))
    .map(({ code, text, place }) => ({
      code: "HL_TRUST_REQUIRED",
      level: "error",
      text: `The settings of this run cannot be read (${code}): ${text}`,
      place,
    }));
}

function noProject({ unread }: StartOptions): readonly Diagnostic[] {
  const missing = unread.filter(({ code }) => code === "HL_CONFIG_NO_FOLDER");
  return missing.map(({ text, place }) => ({ code: "HL_TRUST_REQUIRED", level: "error", text, place }));
}

/** What could not be read may have been a gate. */
function brokenFiles({ documents, unread, lostRules }: StartOptions): readonly Diagnostic[] {
  const below = documents.filter(({ source }) => source.scope !== "managed").flatMap(({ diagnostics }) => diagnostics);
  return [...below, ...unread, ...lostRules]
    .filter(({ level, code }) => level === "error" && code !== "HL_CONFIG_NO_FOLDER")
    .map(({ code, text, place }) => ({
      code: "HL_TRUST_REQUIRED",
      level: "error",
      text: `A gate may be missing (${code}): ${text}`,
      place,
    }));
}

/** Configuration that is there and not read: above the session's folder, or under a name that is looked at by nobody. */
function leftOut({ unread, above }: StartOptions): readonly Diagnostic[] {
  const isLeft = ({ code }: Diagnostic): boolean => code === "HL_CONFIG_ABOVE" || code === "HL_CONFIG_MISNAMED";
  const left = [...unread.filter(isLeft), ...aboveDiagnostic(above)];
  return left.map(({ text, place }) => ({ code: "HL_TRUST_REQUIRED", level: "error", text: `A gate may be missing: ${text}`, place }));
}

function obstacles(hook: RegisteredHook, { statuses, hasRunner }: StartOptions): readonly string[] {
  const missing = statuses.get(hook)?.pins?.missing ?? [];
  const { kind } = hook.target;
  return [
    ...(hook.never === undefined ? [] : [hook.never]),
    ...missing.map((name) => `${name} is not there.`),
    ...(kind === "withheld" || hasRunner(kind) ? [] : [`Nothing here runs ${kind} hooks.`]),
  ];
}

function required(hook: RegisteredHook, text: string): Diagnostic {
  return {
    code: "HL_TRUST_REQUIRED",
    level: "error",
    text: `"${hook.name}" must be able to run. ${text}`,
    place: hook.place,
    hook: hook.id,
  };
}
