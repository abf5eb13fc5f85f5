import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("npm start shows what it says: each scene with its decision and reason", () => {
  const { status, stdout } = spawnSync(process.execPath, ["scripts/start.mjs"], { encoding: "utf8" });
  expect(status).toBe(0);
  const scenes = stdout.split("\n\n").filter((text) => / by examples\//.test(text));
  expect(scenes.map((scene) => /^ {2}(.+?) {2}by/m.exec(scene)?.[1])).toEqual(["deny", "no opinion", "deny", "context", "deny", "deny"]);
  const reasons = [
    "A force push to main is not allowed",
    "",
    "private key",
    "Git state when the session started",
    ".env holds secrets",
    "HL_SDK_STDIN_INVALID",
  ];
  for (const [index, reason] of reasons.entries()) expect(scenes[index]).toContain(reason);
  expect(stdout).not.toContain("\u001b");
});
