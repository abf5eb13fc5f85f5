import { type Reading, report, shown } from "../reading.ts";
import { type ConfigProperty, plainValue } from "../tree/index.ts";

/** A day. Node's timers take 24.8 days at most and fire at once beyond that. */
const MAX_SECONDS = 86_400;
/** Nobody waits so long for a hook, but many people write milliseconds. */
const SUSPICIOUS_FROM = 1000;
const SUSPICIOUS_STEP = 500;

/** The limit in seconds that counts, or `invalid`. */
export function checkTimeout(reading: Reading, property: ConfigProperty): number | "invalid" {
  const value = property.value && plainValue(property.value);
  const place = property.value?.place ?? property.place;
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) {
    const text = `"timeout" must be a number of seconds above 0, not ${shown(value)}. The hook is left out.`;
    report(reading, { code: "HL_CONFIG_TIMEOUT_INVALID", text, place });
    return "invalid";
  }
  if (value > MAX_SECONDS) {
    const text = `"timeout": ${shown(value)} is more than a day; ${MAX_SECONDS} is used. It counts seconds, not milliseconds.`;
    report(reading, { code: "HL_CONFIG_TIMEOUT_INVALID", level: "warning", text, place });
    return MAX_SECONDS;
  }
  if (value >= SUSPICIOUS_FROM && value % SUSPICIOUS_STEP === 0) {
    const text = `"timeout": ${value} means ${value} seconds. If milliseconds are meant, write ${value / 1000}.`;
    report(reading, { code: "HL_CONFIG_TIMEOUT_SUSPICIOUS", level: "warning", text, place });
  }
  return value;
}
