import { constants } from "node:os";
import { EVENTS } from "../catalogue/index.ts";
import { disabledNames } from "../config/index.ts";
import { type Diagnostic, nearestName } from "../diagnostic.ts";
import type { HookEngine } from "../engine/index.ts";
import type { ErrorCode } from "../errors.ts";
import { aboveCure, type RefusedHook } from "../trust/index.ts";

/** What was asked for on the command line, whatever the agent is shown in. */
export interface AgentFlags {
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly permissionMode?: string | undefined;
  readonly mcpConfig: readonly string[];
  readonly settings?: string | undefined;
  readonly pluginDirs: readonly string[];
  readonly addDirs: readonly string[];
  readonly model?: string | undefined;
  /** A file with the model's answers. */
  readonly script?: string | undefined;
  readonly agentType?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Id of the session to go on with; an empty text means the latest. */
  readonly resume?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly trustWorkspace: boolean;
  readonly trustedHooks: Readonly<Record<string, string>>;
  readonly requireHooks: boolean;
  readonly noProjectHooks: boolean;
  /** Start although a gate that was approved has changed: it blocks what it matches. */
  readonly allowChangedHooks?: boolean | undefined;
}

/** `Bash(git *, x),Read Write` is three rules: commas and blanks inside parentheses belong to the rule. */
export function splitRules(text: string): readonly string[] {
  const rules: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = text[at];
    if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (character === undefined || (depth <= 0 && /[\s,]/.test(character))) {
      rules.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return rules.filter(Boolean);
}

type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** One Ctrl-C comes twice through a wrapper that passes it on, and one hang-up through the shell: what follows this soon is the same wish. */
const SAME_WISH_MS = 200;
/** Whatever keeps it from ending, it ends after this. */
const LONGEST_END_MS = 60_000;

/**
 * Calls `stop` when this program is asked to end. The second time it ends at once, with everything it has started; a terminal that
 * hangs up may say so often. Gives the function that stops listening.
 */
export function onEndSignal(stop: (name: EndSignal) => void, names: readonly EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"]): () => void {
  let askedAt: number | undefined;
  const onSignal = (name: EndSignal): void => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      setTimeout(() => process.exit(1), LONGEST_END_MS).unref();
      stop(name);
    } else if (name !== "SIGHUP" && performance.now() - askedAt > SAME_WISH_MS) process.exit(128 + constants.signals[name]);
  };
  // Ctrl-\\: no last words.
  const onQuit = (): void => process.exit(128 + constants.signals.SIGQUIT);
  for (const name of names) process.on(name, onSignal);
  process.on("SIGQUIT", onQuit);
  return () => {
    for (const name of names) process.off(name, onSignal);
    process.off("SIGQUIT", onQuit);
  };
}

/** What was asked for cannot be done: said in one line, before anything has happened. */
export class CannotStart extends Error {
  /** 2 for wrong usage, as with every command. */
  readonly exitCode: number;

  constructor(code: ErrorCode, text: string) {
    super(`${code}: ${text}`);
    this.exitCode = code === "HL_CLI_USAGE" ? 2 : 1;
  }
}

/** SECURITY: where nobody can be asked, a gate that was approved and is not that any more keeps everything from starting. */
export function checkGates(
  { allowChangedHooks = false }: AgentFlags,
  { review }: { readonly review?: unknown },
  { withheld, trust }: HookEngine,
): void {
  if (allowChangedHooks || review) return;
  const [above] = trust.gatesAbove;
  if (above) {
    const others = trust.gatesAbove.length === 1 ? "" : ` and ${trust.gatesAbove.length - 1} more`;
    const cure = `${aboveCure(above)}. To start here all the same: --allow-changed-hooks`;
    throw new CannotStart(
      "HL_TRUST_GATE_ABOVE",
      `The gate "${above.name}"${others} was approved for ${above.source.root} and is not read here, so nothing was started.\n${cure}`,
    );
  }
  if (withheld.length === 0) return;
  const { message, cure } = withheldText(withheld);
  throw new CannotStart("HL_TRUST_GATE_WITHHELD", `${message}\n${cure}`);
}

/** Gates that were approved for directories that are added to the session: they are not read here, and the agent may work there all the same. */
export function gatesOfDirectories({ trust }: HookEngine, directories: readonly string[]): readonly Diagnostic[] {
  const [first, ...others] = directories.length === 0 ? [] : trust.gatesOf(directories);
  if (!first) return [];
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const text = `The gate "${first.name}"${more} was approved for ${first.source.root}, which is added to this session or lies above what is: hooks are read only from the folder a session starts in, so nothing judges by it here.`;
  return [{ code: "HL_TRUST_GATE_ABOVE", level: "warning", text, place: first.place, hook: first.id }];
}

const MAX_DIFF = 4000;

/** Where a failure cannot block, nothing stands in for a gate that does not run. */
function consequence(withheld: readonly RefusedHook[]): string {
  const blocking = withheld.filter(({ hook }) => EVENTS[hook.event].failureCanBlock).length;
  if (blocking === withheld.length) return blocking === 1 ? "it blocks what it matches" : "they block what they match";
  return blocking === 0 ? "without it" : "those that can block what they match";
}

function withheldText(withheld: readonly RefusedHook[]): { readonly message: string; readonly cure: string } {
  // Nothing was approved of an entry that cannot be read, and nothing of it has to have changed.
  const isBroken = withheld.every(({ hook }) => hook.unreadable !== undefined);
  const what = isBroken ? "guard" : "gate";
  const many = withheld.length === 1 ? `A ${what} cannot run` : `${withheld.length} ${what}s cannot run`;
  const each = withheld.map(({ hook, text, diff = "" }) => {
    const shown = diff.length > MAX_DIFF ? `${diff.slice(0, MAX_DIFF)}\n…` : diff;
    return `  ${hook.id}: ${text}${shown === "" ? "" : `\n${shown}`}`;
  });
  const cure = isBroken ? "Fix the entry." : "Undo the change, or look at it: hookloop trust review.";
  return {
    message: `${many}, so nothing was started.\n${each.join("\n")}`,
    cure: `${cure} To start all the same (${consequence(withheld)}): --allow-changed-hooks`,
  };
}

/** All hooks are there now: a name in a disable list that is none of theirs switches nothing off. */
export function unknownNames(hooks: HookEngine, env: Readonly<Record<string, string>>): readonly Diagnostic[] {
  const all = [...hooks.admitted, ...hooks.refused.map(({ hook }) => hook)];
  const known = all.flatMap(({ name, id }) => [name, id]);
  return [...disabledNames(env)].flatMap(([name, variable]): readonly Diagnostic[] => {
    if (known.includes(name) || OTHER_SYSTEMS.has(name)) return [];
    const nearest = nearestName(name, known);
    const hint = nearest === undefined ? "/hooks lists their names." : `Did you mean "${nearest}"?`;
    return [
      { code: "HL_ADMIT_UNKNOWN_NAME", level: "warning", text: `${variable} names no hook: "${name}" switches nothing off. ${hint}` },
    ];
  });
}

/** What another system calls a hook of ours. */
const OTHER_SYSTEMS: ReadonlySet<string> = new Set(["safety_checks"]);
