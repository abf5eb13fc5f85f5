import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EVENT_NAMES, EVENTS } from "../../packages/hookloop/src/catalogue/events.ts";
import { abilitiesOf } from "../../packages/hookloop/src/catalogue/hook-kinds.ts";
import { TOOL_NAMES } from "../../packages/hookloop/src/catalogue/tools.ts";
import { eventFacts } from "../../packages/sdk/src/event-facts.ts";
import { EVENT_FACTS } from "../../packages/sdk/src/generated/facts.ts";
import { SAMPLES } from "../../packages/sdk/src/generated/samples.ts";
import { eventsPage } from "../../scripts/generate/events-page.ts";
import { sdkFiles } from "../../scripts/generate/sdk-files.ts";
import { sourcesPage } from "../../scripts/generate/sources-page.ts";
import { formatted } from "../../scripts/generate/write-files.ts";

const files: Readonly<Record<string, string>> = {
  ...sdkFiles(),
  "docs/reference/events.md": await eventsPage(),
  "docs/sources.md": sourcesPage(),
};

test.each(Object.keys(files))("%s is what its source gives today (else: npm run generate)", (file) => {
  expect(existsSync(file)).toBe(true);
  expect(readFileSync(file, "utf8")).toBe(formatted(file, files[file] as string));
});

test("catalogue and SDK know the same events, both ways", () => {
  expect(Object.keys(EVENT_FACTS)).toEqual(EVENT_NAMES);
  expect(Object.keys(SAMPLES)).toEqual(EVENT_NAMES);
});

test.each(EVENT_NAMES)("catalogue and SDK agree on what %s can say, how it is matched and how long it may take", (event) => {
  const facts = eventFacts(event);
  expect(facts?.can).toEqual(abilitiesOf(EVENTS[event]));
  expect(facts?.matcher).toBe(EVENTS[event].matcher?.field ?? "");
  expect(facts?.timeoutMs).toBe(EVENTS[event].timeoutSeconds * 1000);
});

test("the tools are the ones agents of the dialect offer", () => {
  expect(TOOL_NAMES).toEqual(
    "Bash Read Write Edit MultiEdit NotebookEdit Glob Grep WebFetch WebSearch TodoWrite Agent Skill ExitPlanMode AskUserQuestion TaskCreate TaskUpdate TaskList".split(
      " ",
    ),
  );
});
