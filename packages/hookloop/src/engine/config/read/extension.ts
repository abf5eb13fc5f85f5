import type { Place } from "../../../diagnostic.ts";
import { type Reading, report } from "../reading.ts";

/** Reports a word of ours in the file of a program that does not know it. */
export function reportExtension(reading: Reading, { what, place }: { readonly what: string; readonly place: Place }): void {
  const text = `${what} works here, but Claude Code does not know it and may drop this whole file. Move the hook to .hookloop/hooks.json.`;
  report(reading, { code: "HL_CONFIG_CLAUDE_WOULD_DROP_FILE", level: "warning", text, place });
}
