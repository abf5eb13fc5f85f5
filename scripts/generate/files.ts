import { eventsPage } from "./events-page.ts";
import { eventFacts, eventSamples, eventTypes, toolTypes } from "./sdk-files.ts";

/** Every file that is made from the catalogue, with its content before formatting. */
export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  return {
    "packages/sdk/src/generated/events.ts": eventTypes(),
    "packages/sdk/src/generated/tools.ts": toolTypes(),
    "packages/sdk/src/generated/facts.ts": eventFacts(),
    "packages/sdk/src/generated/samples.ts": eventSamples(),
    "docs/reference/events.md": await eventsPage(),
  };
}
