import { closeSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { inputFile, opensStdin } from "./process-group.ts";

const cwd = mkdtempSync(path.join(tmpdir(), "hookloop-input-file-"));
writeFileSync(path.join(cwd, "named.sh"), "x=$(cat /dev/stdin)\n");
writeFileSync(path.join(cwd, "plain.sh"), "x=$(cat)\n");

test.runIf(process.platform === "linux").each<[string[], boolean]>([
  [["cat /dev/stdin | grep x"], true],
  [["jq", "-r", ".x", "/dev/fd/0"], true],
  [["sh ./named.sh"], true],
  [['sh "$ROOT"/named.sh --strict'], true],
  [["sh", "${ROOT}/named.sh"], true],
  [["sh ./plain.sh && sh missing.sh"], false],
  [["cat | jq ."], false],
])("%j opens stdin by a name: %s", (words, expected) => {
  expect(opensStdin({ words, env: { ROOT: cwd }, cwd })).toBe(expected);
});

test("the file has the event and no name", () => {
  const fd = inputFile(Buffer.from("event")) as number;
  expect(readFileSync(fd, "utf8")).toBe("event");
  closeSync(fd);
});
