import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createDialects } from "../../packages/hookloop/src/dialects/index.ts";

const SRC = path.resolve(import.meta.dirname, "../../packages/hookloop/src");
const STAGES = ["catalogue", "shell", "permissions", "config", "trust", "select", "run", "judge", "engine", "open"];
/** Whose event it is, the schemas that are printed, and the one name that hooks without a file have. */
const NAMING = ["catalogue/row.ts", "catalogue/schemas.ts", "catalogue/dialect.ts"];

test("no stage knows a dialect by its name", () => {
  const names = new RegExp(
    `["'](?:${createDialects()
      .all.map(({ name }) => name)
      .join("|")})["']`,
  );
  const files = STAGES.flatMap((stage) =>
    readdirSync(path.join(SRC, stage), { recursive: true, encoding: "utf8" }).map((file) => path.join(stage, file)),
  ).filter((file) => file.endsWith(".ts") && !/\.test(?:-suite)?\.ts$/.test(file));
  expect(files.length).toBeGreaterThan(100);
  expect([...files, "open.ts"].filter((file) => names.test(readFileSync(path.join(SRC, file), "utf8"))).sort()).toEqual(NAMING.toSorted());
});
