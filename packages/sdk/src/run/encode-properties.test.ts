import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ABILITIES } from "../event-facts.ts";
import { EVENT_FACTS } from "../generated/facts.ts";
import type { Part } from "../hook/results.ts";
import { encode, type Written } from "./encode.ts";

const FIELDS = ["sessionTitle", "watchPaths", "action", "content", "retry", "updatedPermissions", "interrupt", "nonsense"];

const anyValue: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  rewrite: fc.dictionary(fc.string(), fc.jsonValue()),
  replaceOutput: fc.jsonValue(),
  output: fc.dictionary(fc.constantFrom(...FIELDS), fc.jsonValue()),
};
const anyPart: fc.Arbitrary<Part> = fc
  .constantFrom(...ABILITIES)
  .chain((can) => (anyValue[can] ?? fc.string({ unit: "binary" })).map((value): Part => ({ can, value })));
const anyParts = fc.array(anyPart, { maxLength: 8 });
const anyEvent = fc.constantFrom(...Object.keys(EVENT_FACTS), "BeforeToolCall", "", "toString");
const anyOrders = anyParts.chain((parts) => fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length })));

const STRICTNESS = [undefined, "allow", "ask", "defer", "deny"];

/** How strict an answer is to the agent that reads it. */
function strictness({ stdout, exitCode }: Written): number {
  const said = stdout.startsWith("{") ? JSON.parse(stdout) : {};
  const { permissionDecision, decision, action } = said.hookSpecificOutput ?? {};
  if (exitCode === 2 || said.decision === "block" || action === "decline") return STRICTNESS.indexOf("deny");
  return STRICTNESS.indexOf(permissionDecision ?? decision?.behavior);
}

/** The same rule in other words: which parts block, and where. */
const saysNo = (event: string, { can }: Part): boolean =>
  (can === "deny" && ["PreToolUse", "PermissionRequest", "PreModelSwitch", "BeforeToolCall", "", "toString"].includes(event)) ||
  (can === "feedback" && ["PostToolUse", "PostToolUseFailure"].includes(event)) ||
  (can === "block" &&
    !/^(Setup|SessionStart|InstructionsLoaded|MessageDisplay|PermissionDenied|PostToolUse|PostToolUseFailure|SubagentStart|StopFailure|Notification|CwdChanged|DirectoryAdded|FileChanged|WorktreeRemove|PostCompact|PostModelSwitch|SessionEnd)$/.test(
      event,
    ));

describe("whatever a hook says", () => {
  it("a denial anywhere is a denial", () => {
    fc.assert(
      fc.property(anyEvent, anyParts, (event, parts) => {
        const written = encode(event, parts);
        const isNo = parts.some((part) => saysNo(event, part));
        expect(written.refusal !== undefined).toBe(isNo);
        if (isNo) expect(strictness(written)).toBe(4);
      }),
    );
  });

  it("its order never changes how strict the answer is", () => {
    fc.assert(
      fc.property(anyEvent, anyOrders, (event, [parts, shuffled]) => {
        expect(strictness(encode(event, shuffled))).toBe(strictness(encode(event, parts)));
      }),
    );
  });

  it("saying more never makes the answer less strict", () => {
    // output({ action }) is the answer itself, not an opinion on one.
    const opinions = anyPart.filter(({ can }) => can !== "output");
    fc.assert(
      fc.property(anyEvent, fc.array(opinions, { maxLength: 8 }), opinions, (event, parts, more) => {
        expect(strictness(encode(event, [...parts, more]))).toBeGreaterThanOrEqual(strictness(encode(event, parts)));
      }),
    );
  });

  it("stdout is empty or one line of JSON that names the event", () => {
    fc.assert(
      fc.property(anyEvent, anyParts, (event, parts) => {
        const { stdout, exitCode, stderr } = encode(event, parts);
        expect(stderr === "").toBe(exitCode === 0);
        if (stdout === "") return;
        expect(stdout.indexOf("\n")).toBe(stdout.length - 1);
        const said = JSON.parse(stdout);
        expect(stdout.startsWith("{")).toBe(true);
        if (said.hookSpecificOutput) expect(said.hookSpecificOutput.hookEventName).toBe(event);
      }),
    );
  });

  it("is never swallowed: it is written, or there is a problem, or it was empty", () => {
    fc.assert(
      fc.property(anyEvent, anyPart, (event, part) => {
        const { stdout, stderr, problems } = encode(event, [part]);
        const isEmpty = part.value === "" || (part.can === "output" && Object.keys(part.value as object).length === 0);
        expect(stdout !== "" || stderr !== "" || problems.length > 0 || isEmpty).toBe(true);
      }),
    );
  });
});
