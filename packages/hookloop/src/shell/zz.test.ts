import { test } from "vitest";
import { readCommand } from "./read-command.ts";
test("x", () => {
  readCommand("a");
  for (const unit of ["{", "{ ", "$(", "((", "`", '"${', "<(", "eval ", "case x in ", '"$(', "((a", "$((", "${x:-", "[[ ", "( ", "a{b,", "!(", "$'", "xargs ", "find -exec ", "bash -c '", "\\`", "a;", "a|", "$a ", "<<a\n", "eval \"", "${a[", "a[", "-exec a "]) {
    const start = performance.now();
    const r = readCommand(unit.repeat(Math.floor(8192 / unit.length)));
    console.log(JSON.stringify(unit), Math.round(performance.now() - start), r.commands.length, r.doubts);
  }
  let t = performance.now(); const r = readCommand("find " + "-exec a ".repeat(1000)); console.log("find", performance.now()-t, r.commands.length);
});
