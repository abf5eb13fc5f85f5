import { describe, expect, test } from "vitest";
import { otherSpelling, plainName } from "./tools.ts";

describe("a tool's name in another spelling", () => {
  test.each([
    "bash",
    "BASH",
    "Ba\u200bsh",
    "\ufeffBash",
    "Ba\u00adsh",
    "\uff22ash",
    "B\u202eash",
    "Ba\ufe0fsh",
    "Bash\u0000",
    "Ba\u3164sh",
  ])("%j is Bash: invisible and wide letters make no other tool", (name) => {
    expect(otherSpelling(name)).toBe("Bash");
  });

  test("in names of MCP tools, too; what joins words still counts there", () => {
    expect(plainName("mcp__Git\u200bHub__push_file")).toBe("mcp__github__push_file");
    expect(plainName("\uff4dcp__x__y")).toBe("mcp__x__y");
  });

  test("is none for its own spelling and for other letters", () => {
    expect([otherSpelling("Bash"), otherSpelling("B\u00e4sh"), otherSpelling("Bashful")]).toEqual([undefined, undefined, undefined]);
  });
});
