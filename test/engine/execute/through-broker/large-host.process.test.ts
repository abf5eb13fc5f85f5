import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { isLive, readIfThere, temporaryFolder } from "../processes.ts";

const HOST = fileURLToPath(new URL("../fixtures/large-host.mjs", import.meta.url));

it("a host of 250 MB starts its first hook itself and leaves the next to a broker, which is gone after close()", () => {
  const folder = temporaryFolder();
  const host = execFileSync(process.execPath, [HOST, folder, "3000"], { encoding: "utf8" }).trim();
  const [first, second] = readIfThere(`${folder}/parents`)?.split("\n") ?? [];
  expect(first).toBe(host);
  expect(Number(second)).toBeGreaterThan(1);
  expect(second).not.toBe(host);
  expect(isLive(Number(second))).toBe(false);
});
