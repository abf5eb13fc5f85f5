/**
 * Routes a prompt to a context and says why: the one that is named with `^name`, the one of the session, the only one that is under way, a new one.
 * Asks, by a `BlockRequest`, when several are under way.
 */

import { visibleLine } from "../diagnostic.ts";
import { isContextId } from "./context-files.ts";
import { checkPlan } from "./plans.ts";
import { type ContextState, MODE_MAP } from "./state.ts";
import { bindSession, createContext, getContextBySessionId, isOwnContext, listContexts } from "./store.ts";
import { taskLine } from "./tasks.ts";

/** The prompt must be blocked, because only the user can say which context it belongs to. The message is for the user. */
export class BlockRequest extends Error {
  override readonly name = "BlockRequest";
  /** The contexts to choose from. */
  readonly choices: readonly string[];

  constructor(message: string, choices: readonly string[] = []) {
    super(message);
    this.choices = choices;
  }
}

export interface DetermineOptions {
  readonly prompt: string;
  readonly sessionId: string;
  readonly projectRoot: string;
  /** The project is trusted: contexts that came with it count as the user's own. */
  readonly isTrusted?: boolean | undefined;
}

export interface Determined {
  readonly context: ContextState;
  readonly how: "named" | "session" | "only" | "new";
  /** Why this one, in one sentence. */
  readonly why: string;
  /** The prompt without `^name`. */
  readonly prompt: string;
}

const NAMED = /^\s*\^(\S*)[ \t]*/;

/** The context of a prompt, with the session bound to it. Throws a `BlockRequest` if the user must choose. */
export async function determineContext({ prompt, sessionId, projectRoot, isTrusted = false }: DetermineOptions): Promise<Determined> {
  const bind = async (id: string): Promise<ContextState> => await bindSession(id, sessionId, projectRoot);
  const [marker = "", name] = NAMED.exec(prompt) ?? [];
  if (name !== undefined) {
    const rest = prompt.slice(marker.length);
    if (name === "new") return await begin(rest, "The prompt asks for a new context.");
    const named = await namedContext(name, projectRoot);
    return { context: await bind(named.id), how: "named", why: `The prompt names it: ^${name}.`, prompt: rest };
  }
  const own = await getContextBySessionId(sessionId, projectRoot);
  if (own) return { context: own, how: "session", why: "The session is bound to it.", prompt };
  const open = await underWay(projectRoot, isTrusted);
  const [only] = open;
  if (only === undefined) return await begin(prompt, "No other context is under way.");
  if (open.length > 1) throw new BlockRequest(`Several contexts are under way. ${choiceText(open)}`, idsOf(open));
  return { context: await bind(only.id), how: "only", why: "It is the only context that is under way.", prompt };

  async function begin(about: string, why: string): Promise<Determined> {
    return { context: await createContext({ about, projectRoot, sessionId }), how: "new", why, prompt: about };
  }
}

/** Open and not idle. SECURITY: what came with a clone is not resumed by itself before the project is trusted. */
async function underWay(projectRoot: string, isTrusted: boolean): Promise<readonly ContextState[]> {
  const all = await listContexts(projectRoot);
  return all.filter((one) => !one.isClosed && one.mode !== "idle" && (isTrusted || isOwnContext(one.id, projectRoot)));
}

async function namedContext(name: string, projectRoot: string): Promise<ContextState> {
  const all = await listContexts(projectRoot);
  const found = matching(all, name);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const open = (found.length > 1 ? found : all).filter(({ isClosed }) => !isClosed);
  const problem = found.length > 1 ? `Several contexts begin with "${visibleLine(name)}".` : `There is no context "${visibleLine(name)}".`;
  throw new BlockRequest(`${problem} ${choiceText(open)}`, idsOf(open));
}

/** The one of this name, or those whose names begin so. */
function matching(all: readonly ContextState[], name: string): readonly ContextState[] {
  const wanted = name.toLowerCase().replace(/[:,]$/, "");
  const exact = all.filter(({ id }) => id === wanted);
  return exact.length > 0 || !isContextId(wanted.replace(/-$/, "")) ? exact : all.filter(({ id }) => id.startsWith(wanted));
}

function idsOf(contexts: readonly ContextState[]): readonly string[] {
  return contexts.map(({ id }) => id);
}

const MOST_CHOICES = 12;

function choiceText(open: readonly ContextState[]): string {
  const lines = open.slice(0, MOST_CHOICES).map(({ id, mode, title }) => `  ^${id}  ${title} (${MODE_MAP[mode]})`);
  const more = open.length > MOST_CHOICES ? [`  … and ${open.length - MOST_CHOICES} more`] : [];
  return ["Begin the prompt with the one you mean, or with ^new for another:", ...lines, ...more, "  ^new"].join("\n");
}

export interface ResolveOptions {
  readonly projectRoot: string;
  /** An id, or how one begins. */
  readonly name?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** Which context is meant: the named one, that of the session, the only one that is under way. Changes nothing; nothing if it cannot be told. */
export async function resolveContext({ projectRoot, name, sessionId }: ResolveOptions): Promise<ContextState | undefined> {
  if (name !== undefined) return onlyOne(matching(await listContexts(projectRoot), name));
  const own = sessionId === undefined ? undefined : await getContextBySessionId(sessionId, projectRoot);
  return own ?? onlyOne(await underWay(projectRoot, false));
}

function onlyOne(found: readonly ContextState[]): ContextState | undefined {
  return found.length === 1 ? found[0] : undefined;
}

const MOST_TASKS = 20;

/** A context in a few lines, for the model and for people. */
export function formatContextSummary(state: ContextState, projectRoot?: string): string {
  const { id, title, mode, plan, handoff, tasks, repair } = state;
  const open = tasks.filter(({ status }) => status !== "completed");
  const standing = projectRoot === undefined ? undefined : checkPlan(state, projectRoot);
  return [
    `Context ${id}: ${title}`,
    `Mode: ${MODE_MAP[mode]}${state.isClosed ? ", closed" : ""}`,
    ...(plan ? [`Plan: ${plan.file}${standing === undefined ? "" : ` (${standing})`}`] : []),
    ...(handoff ? [`Hand-off: ${handoff.file}${handoff.resumedAt === undefined ? "" : " (resumed)"}`] : []),
    ...(tasks.length > 0 ? [`Tasks: ${tasks.length - open.length} of ${tasks.length} completed`] : []),
    ...open.slice(0, MOST_TASKS).map((task) => `  ${taskLine(task)}`),
    ...(open.length > MOST_TASKS ? [`  … and ${open.length - MOST_TASKS} more`] : []),
    ...(repair === undefined ? [] : [`Note: ${repair}`]),
  ].join("\n");
}
