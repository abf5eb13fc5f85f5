import { readFileSync } from "node:fs";
import path from "node:path";
import { type ReadFile, readWithin } from "../permissions/index.ts";

const LARGEST_FILE = 1024 * 1024;
/** What a shell makes of `--mcp-config <(…)`. */
const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/\d+$/;

/** How a server is reached. */
export type McpServerConfig =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string | undefined;
    }
  | { readonly type: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

export interface McpConfig {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** Entries that cannot be used, for people; the others can. */
  readonly problems: readonly string[];
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads `{"mcpServers": {name: {command, args, env} | {url, headers}}}`. `${NAME}` in it is a variable of the environment; `withheld` names those it is not given. */
export function readMcpConfig(file: string, env: Variables, withheld: readonly string[] = []): McpConfig {
  // The user named the file, so it may lie anywhere; a pipe in its place must not hold the agent.
  const found = DESCRIPTOR.test(file) ? readDescriptor(file) : readWithin(file, { limit: LARGEST_FILE });
  if (found.kind !== "read")
    return { servers: {}, problems: [`${file} cannot be read: ${found.kind === "unreadable" ? found.why : found.kind}`] };
  const text = found.bytes.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { servers: {}, problems: [`${file} cannot be read: ${(error as Error).message}`] };
  }
  const entries = (value as { readonly mcpServers?: unknown } | null)?.mcpServers;
  if (typeof entries !== "object" || entries === null) return { servers: {}, problems: [`${file} has no "mcpServers" object.`] };
  const servers: Record<string, McpServerConfig> = {};
  const problems = withheld
    .filter((name) => new RegExp(`\\$\\{${name}[:}]`).test(text))
    .map((name) => `${name} is left empty in ${file}: a file of the project is not given this variable.`);
  for (const [name, entry] of Object.entries(entries)) {
    const read = readEntry(entry, env);
    if (typeof read === "string") problems.push(`The MCP server "${name}" in ${file} cannot be used: ${read}`);
    else servers[name] = read;
  }
  return { servers, problems };
}

const CODE = /\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|rb|pl|php|lua|jar|exe)$/i;

/**
 * SECURITY: the files that servers are made of, as far as their command lines name them: each is run at the next start, without a question.
 * An argument that is data, such as a folder or a database, is not one.
 */
export function serverFiles({ servers }: McpConfig, cwd: string): readonly string[] {
  return Object.values(servers).flatMap((server) => {
    if (server.type !== "stdio") return [];
    const folder = path.resolve(cwd, server.cwd ?? ".");
    const words = server.args.flatMap((text) => text.split(/[\s"'=;&|()]+/));
    const named = words.filter((word) => CODE.test(word) && !/^\w+:\/\//.test(word));
    return [...(server.command.includes("/") ? [server.command] : []), ...named].map((word) => path.resolve(folder, word));
  });
}

function readDescriptor(file: string): ReadFile {
  try {
    return { kind: "read", bytes: readFileSync(file), uid: 0, mode: 0 };
  } catch (error) {
    return { kind: "unreadable", why: (error as Error).message };
  }
}

function readEntry(entry: unknown, env: Variables): McpServerConfig | string {
  if (typeof entry !== "object" || entry === null) return "it is not an object.";
  const { command, args = [], env: own = {}, cwd, url, headers = {} } = entry as Record<string, unknown>;
  if (typeof url === "string") {
    if (!isTexts(headers)) return "its headers are not texts.";
    return { type: "http", url: filled(url, env), headers: filledAll(headers, env) };
  }
  if (typeof command !== "string" || command === "") return 'it has neither a "command" nor a "url".';
  if (!Array.isArray(args) || !args.every((one) => typeof one === "string")) return "its args are not a list of texts.";
  if (!isTexts(own)) return "its env is not a list of texts.";
  const folder = typeof cwd === "string" ? { cwd } : {};
  return { type: "stdio", command: filled(command, env), args: args.map((one) => filled(one, env)), env: filledAll(own, env), ...folder };
}

function isTexts(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string");
}

function filled(text: string, env: Variables): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback = "") => env[name] ?? fallback);
}

function filledAll(values: Readonly<Record<string, string>>, env: Variables): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, filled(value, env)]));
}
