import { parseEnv } from "node:util";

/** Which model is asked, and with what. */
export interface ModelSettings {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly model?: string | undefined;
  /** For people: what the project's file says about the model, and whether it is used. Never a key. */
  readonly note?: string | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

export interface SettingsSources {
  readonly env: Variables;
  /** Text of the project's `.env`. */
  readonly dotEnv?: string | undefined;
  /** Whether the project is trusted. */
  readonly isTrusted?: boolean | undefined;
}

/** What of a project's file is about the model; the first two are keys. */
const NAMES = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "MODEL_ID"];

/**
 * The real environment wins over the project's `.env`.
 * SECURITY: the file counts only in a trusted workspace: it would choose who gets to read the conversation. Even then an address from it is
 * used only with a key from it, so that a project never gets to see the user's key.
 */
export function readModelSettings({ env, dotEnv, isTrusted = false }: SettingsSources): ModelSettings {
  const file: Variables = dotEnv === undefined ? {} : (parseEnv(dotEnv) as Variables);
  const own = keysOf(env);
  const mine = { ...own, baseUrl: env["ANTHROPIC_BASE_URL"] || undefined, model: env["MODEL_ID"] || env["ANTHROPIC_MODEL"] || undefined };
  const named = NAMES.filter((name) => file[name]);
  if (named.length === 0) return mine;
  if (!isTrusted)
    return { ...mine, note: `${named.join(", ")} of the project's .env: not used until the workspace is trusted (--trust-workspace).` };
  const model = mine.model ?? file["MODEL_ID"];
  if (own.apiKey || own.authToken) return { ...mine, model, note: noteOf({ ...(!mine.model && { model }) }, file) };
  const theirs = keysOf(file);
  const hasKey = Boolean(theirs.apiKey || theirs.authToken);
  const baseUrl = mine.baseUrl ?? ((hasKey && file["ANTHROPIC_BASE_URL"]) || undefined);
  return { ...theirs, baseUrl, model, note: noteOf({ ...theirs, ...(!mine.baseUrl && { baseUrl }), ...(!mine.model && { model }) }, file) };
}

/** What is taken from the file, and what is not. */
function noteOf({ apiKey, authToken, baseUrl, model }: ModelSettings, file: Variables): string | undefined {
  const used = [
    ...(apiKey || authToken ? ["its key"] : []),
    ...(baseUrl ? [`the address ${withoutCredentials(baseUrl)}`] : []),
    ...(model ? [`the model ${model}`] : []),
  ];
  const ignored =
    file["ANTHROPIC_BASE_URL"] && !baseUrl ? " Its ANTHROPIC_BASE_URL is not used: it counts only with a key from the same file." : "";
  if (used.length === 0) return ignored === "" ? undefined : `The project's .env:${ignored}`;
  return `The project's .env, which is trusted for this run, says what is asked: ${used.join(", ")}.${ignored}`;
}

function withoutCredentials(address: string): string {
  return address.replace(/\/\/[^/@]*@/, "//***@");
}

function keysOf(variables: Variables): Pick<ModelSettings, "apiKey" | "authToken"> {
  const apiKey = variables["ANTHROPIC_API_KEY"] || undefined;
  return { apiKey, authToken: apiKey ? undefined : variables["ANTHROPIC_AUTH_TOKEN"] || undefined };
}
