import { createHmac, randomUUID } from "node:crypto";

const PREFIX = "whsec_";

/** What is signed, as Standard Webhooks 1.0 has it. */
export interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970. */
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
