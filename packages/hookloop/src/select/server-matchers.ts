/**
 * Takes the hooks of a session and the tools of its MCP servers, once they are connected. Gives the matchers that name such a tool and match
 * none: while a file is read, no one knows which servers there will be.
 */

import { alternativesOf } from "@hookloop/sdk/host";
import { EVENTS, type Matcher, TOOL_NAMES } from "../catalogue/index.ts";
import { matcherForm, type RegisteredHook } from "../config/index.ts";
import { nearestName, visibleLine } from "../diagnostic.ts";
import { compileMatcher } from "./matcher.ts";

export interface ServerTools {
  /** As hooks see them: `mcp__<server>__<tool>`. */
  readonly tools: readonly string[];
  /** Servers that are connected, and those that should be: what these would offer is not known. */
  readonly connected: readonly string[];
  readonly missing: readonly string[];
}

interface DeadServerMatcher {
  readonly hook: RegisteredHook;
  readonly text: string;
  /** It is a slip, for a known name is near, and not a matcher for what this session does without. */
  readonly isCertain: boolean;
}

type Dead = Pick<DeadServerMatcher, "text" | "isCertain">;

export function deadServerMatchers(hooks: readonly RegisteredHook[], servers: ServerTools): readonly DeadServerMatcher[] {
  return hooks.flatMap((hook) => {
    const row = EVENTS[hook.event].matcher;
    if (!row?.isTool || hook.setting !== undefined || hook.matcher === undefined) return [];
    const found = partsOf(hook.matcher, row).flatMap((part) => deadPart(part, { hook, row, servers }) ?? []);
    const worst = found.find(({ isCertain }) => isCertain) ?? found[0];
    return worst ? [{ hook, ...worst }] : [];
  });
}

/** The names of a list, the alternatives of a pattern. */
function partsOf(matcher: string, row: Matcher): readonly string[] {
  const form = matcherForm(matcher, row);
  if (form.form === "names") return form.names;
  if (form.form === "all") return [];
  try {
    return alternativesOf(new RegExp(matcher)).map(({ source }) => source);
  } catch {
    // No pattern: reading its file has reported it.
    return [];
  }
}

interface PartSpot {
  readonly hook: RegisteredHook;
  readonly row: Matcher;
  readonly servers: ServerTools;
}

function deadPart(part: string, { hook, row, servers }: PartSpot): Dead | undefined {
  const { matches } = compileMatcher(part, row);
  // What took too long to compare counts as a match, as it does when the tool is called.
  if ([...servers.tools, ...TOOL_NAMES].some((tool) => matches(tool) !== false)) return undefined;
  const { matcher = "", never } = hook;
  const isWhole = part.replaceAll("\\/", "/") === matcher.replaceAll("\\/", "/");
  const said = `The matcher "${visibleLine(matcher)}"${isWhole ? "" : ` has "${visibleLine(part)}", which`} matches no tool of the MCP servers of this session.`;
  const [, server = "", tool = ""] = /^\^?mcp__(.+?)__(.*?)\$?$/s.exec(part) ?? [];
  if (server === "") return shortName(part, said, servers.tools);
  // Reading the file has said what to write.
  if (never !== undefined) return undefined;
  const isPlain = /^[\w-]+$/.test(server);
  if (isPlain ? servers.missing.includes(server) : servers.missing.length > 0) return undefined;
  const meant = meantTool({ part, tool }, servers.tools);
  if (meant !== undefined) return { isCertain: true, text: `${said} Did you mean "${meant}"?` };
  if (servers.connected.includes(server)) {
    const own = servers.tools.filter((name) => name.startsWith(`mcp__${server}__`));
    return { isCertain: false, text: `${said} "${server}" has ${listed(own)}.` };
  }
  return { isCertain: false, text: `${said} Connected are ${listed(servers.connected)}: it is for a server that is not.` };
}

/** The nearest of all names, or the tool of that name on another server. */
function meantTool({ part, tool }: { readonly part: string; readonly tool: string }, tools: readonly string[]): string | undefined {
  const near = part.length > MAX_NAME ? undefined : nearestName(part.replace(/^\^|\$$/g, ""), tools);
  return near ?? tools.find((name) => tool !== "" && ownName(name) === tool);
}

/** `push` for `mcp__gh__push`: told already when the file was read, but not what it should be. */
function shortName(part: string, said: string, tools: readonly string[]): Dead | undefined {
  const bare = part.replace(/^\^|\$$/g, "");
  const words = bare.split(/[^\w-]+|__?/).filter((word) => word !== "" && word !== "mcp");
  const meant = tools.find((name) => ownName(name) === bare || (words.length > 1 && spelled(name) === words.join(" ")));
  return meant === undefined ? undefined : { isCertain: true, text: `${said} Did you mean "${meant}"?` };
}

function spelled(name: string): string {
  return name.split(/__?/).slice(1).join(" ");
}

function ownName(name: string): string {
  return /^mcp__.+?__(.+)$/s.exec(name)?.[1] ?? "";
}

const MAX_NAME = 200;
const MAX_LISTED = 8;

function listed(names: readonly string[]): string {
  if (names.length === 0) return "none";
  return `${names.slice(0, MAX_LISTED).map(visibleLine).join(", ")}${names.length > MAX_LISTED ? " …" : ""}`;
}
