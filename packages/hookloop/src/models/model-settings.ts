import { parseEnv } from "node:util";

/** Which model is asked, and with what. */
export interface ModelSettings {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly model?: string | undefined;
  /** What was found and is not used, for people. */
  readonly ignored: readonly string[];
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The real environment wins over the project's `.env`.
 * SECURITY: an address from `.env` is used only with a key from the same file: a cloned project must not get to see the user's key.
 */
export function readModelSettings({ env, dotEnv }: { readonly env: Variables; readonly dotEnv?: string | undefined }): ModelSettings {
  const file: Variables = dotEnv === undefined ? {} : (parseEnv(dotEnv) as Variables);
  const model = env["MODEL_ID"] || env["ANTHROPIC_MODEL"] || file["MODEL_ID"] || undefined;
  const own = keysOf(env);
  if (own.apiKey || own.authToken) {
    const ignored = file["ANTHROPIC_BASE_URL"] && !env["ANTHROPIC_BASE_URL"] ? [IGNORED_ADDRESS] : [];
    return { ...own, baseUrl: env["ANTHROPIC_BASE_URL"] || undefined, model, ignored };
  }
  const theirs = keysOf(file);
  const hasKey = Boolean(theirs.apiKey || theirs.authToken);
  const address = env["ANTHROPIC_BASE_URL"] || (hasKey ? file["ANTHROPIC_BASE_URL"] : undefined);
  const ignored = file["ANTHROPIC_BASE_URL"] && !hasKey ? [IGNORED_ADDRESS] : [];
  return { ...theirs, baseUrl: address || undefined, model, ignored };
}

const IGNORED_ADDRESS = "ANTHROPIC_BASE_URL of the project's .env is not used: it counts only with a key from the same file.";

function keysOf(variables: Variables): Pick<ModelSettings, "apiKey" | "authToken"> {
  const apiKey = variables["ANTHROPIC_API_KEY"] || undefined;
  return { apiKey, authToken: apiKey ? undefined : variables["ANTHROPIC_AUTH_TOKEN"] || undefined };
}
