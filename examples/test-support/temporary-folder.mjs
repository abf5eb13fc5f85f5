// @ts-check
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A new folder that is gone after the test. @param {import("node:test").TestContext} t @param {string} [prefix] */
export function temporaryFolder(t, prefix = "hookloop-example-") {
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), prefix));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
