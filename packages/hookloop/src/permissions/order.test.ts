import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import { readRules } from "./rules/read-rules.ts";
import type { DecideContext, PermissionLists, PermissionMode, RuleList, RuleScope, RuleSource } from "./types.ts";

const RULES = [
  "Bash",
  "Bash(git *)",
  "Bash(git push *)",
  "Bash(npm test)",
  "Bash(rm *)",
  "Edit",
  "Edit(src/**)",
  "Edit(*.ts)",
  "Write",
  "Read(.env)",
  "mcp__srv",
  "*",
];
const COMMANDS = [
  "git push",
  "npm test",
  "sudo npm test",
  "rm x",
  "git $verb",
  "echo x > src/a.ts",
  "cat .env",
  "ls",
  "a && b",
  "echo 'broken",
];

const call = fc.oneof(
  fc.constantFrom(...COMMANDS).map((command) => ({ tool_name: "Bash", tool_input: { command } })),
  fc.record({
    tool_name: fc.constantFrom("Write", "Edit", "Read"),
    tool_input: fc.record({ file_path: fc.constantFrom("src/a.ts", "b.md", ".env", "/etc/x") }),
  }),
  fc.constant({ tool_name: "mcp__srv__tool", tool_input: {} }),
);
const texts = fc.array(
  fc.constantFrom(...RULES).map((text) => ({ text })),
  { maxLength: 3 },
);
const lists: fc.Arbitrary<PermissionLists> = fc.record({ allow: texts, ask: texts, deny: texts });
const source: fc.Arbitrary<RuleSource> = fc.record({
  scope: fc.constantFrom<RuleScope>("managed", "flag", "user", "local", "project", "plugin"),
  file: fc.constantFrom("a.json", "b.json"),
  root: fc.constant("/srv/app"),
  isTrusted: fc.boolean(),
  permissions: lists,
});
const context: fc.Arbitrary<DecideContext> = fc.record({
  root: fc.constant("/srv/app"),
  mode: fc.constantFrom<PermissionMode>("default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"),
  hook: fc.constantFrom<"none" | "allow" | "ask" | "deny">("none", "allow", "ask", "deny"),
});

const STRICTNESS: Readonly<Record<RuleList, number>> = { allow: 0, ask: 1, deny: 2 };

function shuffled<Item>(items: readonly Item[], seed: readonly number[]): readonly Item[] {
  return items
    .map((item, index) => ({ item, key: seed[index] ?? index }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

test("no permutation of rules, hooks and modes lets an allow beat a deny", () => {
  fc.assert(
    fc.property(call, fc.array(source, { maxLength: 4 }), context, (one, sources, situation) => {
      const { rules } = readRules(sources);
      const { decision, by } = decide(one, rules, situation);
      const isDenied =
        situation.hook === "deny" ||
        decide(one, { ...rules, allow: [], ask: [] }, { ...situation, mode: "bypassPermissions", hook: "none" }).decision === "deny";
      const isAsked =
        situation.hook === "ask" ||
        decide(one, { ...rules, allow: [], deny: [] }, { ...situation, mode: "bypassPermissions", hook: "none" }).decision === "ask";
      if (isDenied) expect(decision).toBe("deny");
      else if (isAsked) expect(decision).not.toBe("allow");
      if (decision === "allow" && by.kind === "rule") expect(by.rule.list).toBe("allow");
    }),
    { numRuns: 400 },
  );
});

test("another deny or ask rule, and a stricter hook, never loosen a decision", () => {
  fc.assert(
    fc.property(call, fc.array(source, { maxLength: 3 }), source, context, (one, sources, extra, situation) => {
      const before = decide(one, readRules(sources).rules, situation);
      const tightening = { ...extra, permissions: { ...extra.permissions, allow: [] } };
      const after = decide(one, readRules([...sources, tightening]).rules, situation);
      expect(STRICTNESS[after.decision]).toBeGreaterThanOrEqual(STRICTNESS[before.decision]);
      const asked = decide(one, readRules(sources).rules, { ...situation, hook: situation.hook === "deny" ? "deny" : "ask" });
      expect(STRICTNESS[asked.decision]).toBeGreaterThanOrEqual(STRICTNESS[before.decision]);
    }),
    { numRuns: 300 },
  );
});

test("a rule set written in any source order decides the same, for the same reason", () => {
  fc.assert(
    fc.property(call, fc.array(source, { maxLength: 5 }), context, fc.array(fc.integer()), (one, sources, situation, seed) => {
      const other = shuffled(sources, seed).map((some) => {
        const { allow = [], ask = [], deny = [] } = some.permissions;
        return { ...some, permissions: { allow: shuffled(allow, seed), ask: shuffled(ask, seed), deny: shuffled(deny, seed) } };
      });
      expect(decide(one, readRules(other).rules, situation)).toEqual(decide(one, readRules(sources).rules, situation));
    }),
    { numRuns: 400 },
  );
});
