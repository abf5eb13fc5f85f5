// Choosing hooks: a remembered plan at 10 and at 10,000 matchers, nothing that matches, and the first time.
import { createPlanner, selectHooks } from "../packages/hookloop/dist/select/planner.js";
import { nanoseconds } from "./nanoseconds.mjs";
import { printGroup } from "./print-group.mjs";
import { medians } from "./rounds.mjs";

const TOOLS = ["Bash", "Edit", "Write", "Read", "Grep", "Glob", "WebFetch", "Agent", "mcp__memory__read", "mcp__git__log"];
const INPUTS = TOOLS.map((tool_name) => ({ tool_name, tool_input: { command: "npm test", file_path: "/srv/a.ts" }, cwd: "/srv" }));

/** The mix of performance.md §2: 60 % names and lists, 25 % servers, 10 % everything, 5 % patterns. */
function matcherOf(index) {
  const kind = index % 20;
  if (kind < 12) return kind % 2 ? `${TOOLS[index % 8]}|Tool${index}` : `Tool${index}`;
  if (kind < 17) return `mcp__server${index}__.*`;
  return kind < 19 ? "*" : `^Tool${index}_[a-z]+$`;
}

const hook = (index, fields) => ({
  id: `h${index}`,
  event: "PreToolUse",
  target: { kind: "function", handler: () => undefined },
  source: { scope: "code", dialect: "native", root: "/srv" },
  priority: 0,
  ...fields,
});

const hooksOf = (count) => Array.from({ length: count }, (_, index) => hook(index, { matcher: matcherOf(index) }));

/** One firing with another tool than the one before. */
function firing(planner, event) {
  let turn = 0;
  return () => {
    const input = INPUTS[turn++ % INPUTS.length];
    return selectHooks(planner.planFor(event, input), input);
  };
}

/** Rows for the table of `npm run bench`; nanoseconds per firing. */
export async function measureSelect(rounds = 200) {
  const few = createPlanner(hooksOf(10));
  const many = createPlanner(hooksOf(10_000));
  const conditional = createPlanner([hook(0, { condition: "Bash(git *)" }), hook(1, { condition: "Bash(rm *)" })]);
  const { ns: nsOf, ratio } = await nanoseconds(
    {
      few: firing(few, "PreToolUse"),
      many: firing(many, "PreToolUse"),
      nothing: firing(many, "PostToolUse"),
      conditional: firing(conditional, "PreToolUse"),
    },
    rounds,
  );
  const first = medians({ many: () => firstPlan(hooksOf(10_000)), few: () => firstPlan(hooksOf(10)) }, 9);
  const ns = (name) => `${nsOf(name).toFixed(1)} ns`;
  return [
    {
      name: "select: remembered plan, 10,000 matchers",
      measured: ns("many"),
      ratio: ratio("many", "few").toFixed(2),
      target: "≤ 1.2 × that at 10",
    },
    { name: "select: remembered plan, 10 matchers", measured: ns("few"), ratio: "1.00", target: "" },
    { name: "select: nothing for the event, 10,000 hooks", measured: ns("nothing"), ratio: "", target: "≤ 25 ns" },
    { name: "select: two conditions on a command (1 call in 10)", measured: ns("conditional"), ratio: "", target: "" },
    { name: "select: first plan, 10,000 matchers", measured: `${(first.many / 1e6).toFixed(1)} ms`, ratio: "", target: "" },
    { name: "select: first plan, 10 matchers", measured: `${(first.few / 1e6).toFixed(2)} ms`, ratio: "", target: "" },
  ];
}

function firstPlan(hooks) {
  const started = process.hrtime.bigint();
  createPlanner(hooks).plan("PreToolUse", "Bash");
  return Number(process.hrtime.bigint() - started);
}

if (process.argv[1] === new URL(import.meta.url).pathname) printGroup("Choosing hooks", await measureSelect());
