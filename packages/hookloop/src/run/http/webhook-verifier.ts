import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { checkGiven } from "../../check-options.ts";

export interface WebhookVerifierOptions {
  /** More than one while a secret is being changed. */
  readonly secrets: readonly string[];
  /** How far the sender's clock may be off, in seconds; 300 if left out. */
  readonly toleranceSeconds?: number;
  readonly now?: () => number;
}

export interface ReceivedWebhook {
  /** As `node:http` gives them: lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as they came, before anyone parsed them. */
  readonly body: Uint8Array | string;
}

/** Why a request is rejected. */
export type WebhookRefusal = "missing-header" | "bad-timestamp" | "too-old" | "too-new" | "bad-signature" | "reused-id";

/** Checks requests that hookloop signed; gives nothing if one is genuine, else why not. */
export type WebhookVerifier = (received: ReceivedWebhook) => WebhookRefusal | undefined;

/** For the server of an http hook with `secretEnv`. It remembers the ids it has seen for as long as they could come again. */
export function createWebhookVerifier(options: WebhookVerifierOptions): WebhookVerifier {
  checkGiven("createWebhookVerifier()", options, { secrets: "texts", toleranceSeconds: "number", now: "function" }, ["secrets"]);
  const { secrets, toleranceSeconds = 300, now = Date.now } = options;
  if (secrets.length === 0 || secrets.includes(""))
    throw new TypeError("A webhook verifier needs at least one secret, and none may be empty.");
  const seen = new Map<string, number>();
  return ({ headers, body }) => {
    const [id, stamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headers[name]);
    if (typeof id !== "string" || typeof stamp !== "string" || typeof signatures !== "string") return "missing-header";
    if (!/^[1-9]\d{0,11}$/.test(stamp)) return "bad-timestamp";
    const timestamp = Number(stamp);
    const seconds = now() / 1000;
    if (timestamp < seconds - toleranceSeconds) return "too-old";
    if (timestamp > seconds + toleranceSeconds) return "too-new";
    const expected = secrets.map((secret) => signatureOf(secret, { id, timestamp, body }));
    if (!signatures.split(" ").some((given) => expected.some((one) => isSame(one, given)))) return "bad-signature";
    forgetBefore(seen, seconds);
    if (seen.has(id)) return "reused-id";
    seen.set(id, timestamp + toleranceSeconds);
    return undefined;
  };
}

/** Ids come roughly in the order they end in: what is kept a little longer does no harm. */
function forgetBefore(seen: Map<string, number>, seconds: number): void {
  for (const [id, until] of seen) {
    if (until >= seconds) return;
    seen.delete(id);
  }
}

/** SECURITY: takes the same time wherever the two differ. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const PREFIX = "whsec_";

/** What is signed, as Standard Webhooks 1.0 has it. */
interface SignedMessage {
  readonly id: string;
  readonly timestamp: number;
  readonly body: Uint8Array | string;
}

/** `v1,` and the signature of a message. A secret is `whsec_` and base64, or any text as it is. */
export function signatureOf(secret: string, { id, timestamp, body }: SignedMessage): string {
  return `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

/** The three headers by which a receiver knows that the payload is ours, whole and fresh. */
export function signatureHeaders(secret: string, body: Uint8Array): Readonly<Record<string, string>> {
  const message = { id: `msg_${randomUUID().replaceAll("-", "")}`, timestamp: Math.floor(Date.now() / 1000), body };
  return {
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestamp),
    "webhook-signature": signatureOf(secret, message),
  };
}

function keyOf(secret: string): Buffer {
  return secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), "base64") : Buffer.from(secret, "utf8");
}
