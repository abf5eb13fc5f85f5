import { ModelError, type ModelErrorKind } from "../run/index.ts";

/** What an answer's status means; the words are those of StopFailure. */
const KINDS: Readonly<Record<number, ModelErrorKind>> = {
  400: "invalid_request",
  401: "authentication_failed",
  402: "billing_error",
  403: "authentication_failed",
  404: "model_not_found",
  413: "invalid_request",
  422: "invalid_request",
  429: "rate_limit",
  529: "overloaded",
};

const NO_CONNECTION = "Check the network, and ANTHROPIC_BASE_URL if it is set.";

const CURES: Readonly<Partial<Record<ModelErrorKind, string>>> = {
  authentication_failed: "Check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.",
  billing_error: "Check the account's plan and credit.",
  rate_limit: "Wait a moment, or ask less at once.",
  overloaded: "Try again in a moment.",
  model_not_found: "Check the model's name (--model, MODEL_ID).",
};

/**
 * Whatever the client threw, as a model error that says what to do.
 * SECURITY: a server may repeat the key it was sent, and the client's own error holds the request: neither is passed on.
 */
export function asModelError(thrown: unknown, secrets: readonly (string | undefined)[] = []): ModelError {
  const status = statusOf(thrown);
  const kind = kindOf(status, thrown);
  const cure = status === undefined && kind === "server_error" ? NO_CONNECTION : CURES[kind];
  const words = secrets.reduce<string>((text, secret) => (secret ? text.replaceAll(secret, "[key]") : text), wordsOf(thrown));
  return new ModelError(kind, `${words}${cure ? ` ${cure}` : ""}`, status === undefined ? {} : { status });
}

function statusOf(thrown: unknown): number | undefined {
  const status = (thrown as { readonly status?: unknown } | undefined)?.status;
  return typeof status === "number" ? status : undefined;
}

function kindOf(status: number | undefined, thrown: unknown): ModelErrorKind {
  // An error inside a stream that began well has no status of its own, but a type.
  const type = (thrown as { readonly type?: unknown } | undefined)?.type;
  if (type === "overloaded_error") return "overloaded";
  if (type === "rate_limit_error") return "rate_limit";
  if (type === "billing_error") return "billing_error";
  if (status === undefined) return "server_error";
  return KINDS[status] ?? (status >= 500 ? "server_error" : "unknown");
}

/** A server's page of HTML helps nobody. */
const LONGEST_WORDS = 2000;

function wordsOf(thrown: unknown): string {
  const { apiMessage, message, cause } = thrown as { readonly apiMessage?: unknown; readonly message?: unknown; readonly cause?: unknown };
  const whole = typeof apiMessage === "string" ? apiMessage : typeof message === "string" ? message : String(thrown);
  const words = whole.length > LONGEST_WORDS ? `${whole.slice(0, LONGEST_WORDS)}…` : whole;
  const because = cause instanceof Error && !words.includes(cause.message) ? ` (${cause.message})` : "";
  return `${words.replace(/[\s.]*$/, "")}${because}.`;
}
