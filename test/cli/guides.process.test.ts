import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { playGuide } from "./play-guide.ts";

const GUIDES = readdirSync("docs/guide").filter((name) => name.endsWith(".md"));

test.each(GUIDES)("%s shows what its commands really print", (name) => {
  const file = path.join("docs/guide", name);
  const text = readFileSync(file, "utf8");
  const played = playGuide(text);
  // `UPDATE_GUIDES=1` writes what was printed; then read it before you commit it.
  if (process.env["UPDATE_GUIDES"] === "1") writeFileSync(file, played);
  expect(played).toBe(process.env["UPDATE_GUIDES"] === "1" ? played : text);
});
