/** The list of what the source systems promise is true: each row has a test that exists, or a difference that the docs explain. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { anchor } from "../../scripts/generate/sources-page.ts";
import type { Requirement } from "../requirements/requirement.ts";
import { REQUIREMENTS, SOURCES } from "../requirements.ts";

/** A test that anyone leaves out shows nothing. */
const TITLE = /(?:\b(?:test|it|describe)(?:\.(?!skip\(|todo)\w+)*(?:<[^;]*?>)?|[\])}])\s*\(\s*(["'`])((?:\\.|(?!\1)[^\\])+)\1\s*,/g;
const PLACEHOLDER = /%[a-z#]|\$\{[^}]*\}|\$\w+/g;

const texts = new Map<string, string | undefined>();
function textOf(file: string): string | undefined {
  if (!texts.has(file)) texts.set(file, existsSync(file) ? readFileSync(file, "utf8") : undefined);
  return texts.get(file);
}

const plain = (text: string): string => text.replaceAll(/\\(["'`])/g, "$1");
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Whether a test of the file has this name, or one that begins so. What stands for a placeholder must stand in the file. */
function hasTest(text: string, name: string): boolean {
  return [...text.matchAll(TITLE)].some(([, , found = ""]) => {
    const title = plain(found);
    if (title.startsWith(name)) return /[a-z]{2}/i.test(title.replaceAll(PLACEHOLDER, ""));
    const pieces = title.split(PLACEHOLDER);
    for (let used = pieces.length; used > 1; used--) {
      const fixed = pieces.slice(0, used);
      // The name may end within the last piece.
      const end = [...(fixed.pop() ?? "")].reduceRight((rest, sign) => `(?:${escaped(sign)}${rest})?`, "");
      const values = new RegExp(`^${[...fixed.map(escaped), end].join("(.+?)")}$`).exec(name);
      const given = values?.slice(1) ?? [];
      // A title that is nothing but values would be everything's.
      if (values && name.length - given.join("").length >= 5 && given.every((value) => text.includes(value))) return true;
    }
    return false;
  });
}

function problemOf(test: string): string | undefined {
  const [file = "", name = ""] = test.split(" › ");
  const text = textOf(file);
  if (text === undefined) return `${file} does not exist`;
  return name !== "" && hasTest(text, name) ? undefined : `${file} has no test "${name}"`;
}

function isThere(page: string): boolean {
  const [file = "", heading] = page.split("#");
  const text = textOf(`docs/${file}`);
  const headings = [...(text ?? "").matchAll(/^#+ (.*)$/gm)].map(([, found = ""]) => anchor(found));
  return text !== undefined && (heading === undefined || headings.includes(heading));
}

describe.each(SOURCES.map((source) => [source.id, source] as const))("%s", (id, { groups }) => {
  const rows: readonly Requirement[] = groups.flatMap((group) => group.rows);

  test("every row is of this source, and says what is promised", () => {
    expect(rows.filter((row) => !row.id.startsWith(`${id}-`) || row.promise.length < 5)).toEqual([]);
  });

  test("every row has a test, a difference or a plan", () => {
    expect(rows.filter(({ tests, difference, planned }) => tests.length === 0 && !difference && !planned)).toEqual([]);
  });

  test("every test that is named exists", () => {
    expect(rows.flatMap((row) => row.tests.flatMap((one) => problemOf(one) ?? []).map((problem) => `${row.id}: ${problem}`))).toEqual([]);
  });

  test("every page of the docs that is named has the heading", () => {
    const pages = [...groups.map(({ where }) => where), ...rows.flatMap(({ difference }) => difference?.page ?? [])];
    expect(pages.filter((page) => !isThere(page))).toEqual([]);
  });
});

test("no row is there twice", () => {
  const ids = REQUIREMENTS.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

test("only rows of the working context are planned", () => {
  const context = REQUIREMENTS.flatMap((row) => (row.planned ? [row.id] : []));
  expect(context.filter((id) => !/^S4-(?:[789]\d|1[012]\d)$/.test(id))).toEqual([]);
  expect(context.length).toBeLessThanOrEqual(51);
  expect(REQUIREMENTS.filter(({ planned, tests, difference }) => planned && (tests.length > 0 || difference))).toEqual([]);
});

test("a name that no test has is found out", () => {
  const text = 'test("one thing holds", () => {});\ntest.each(["Bash"])("%s is matched", () => {});\ntest.skip("left out", () => {});';
  expect(
    ["one thing", "Bash is matched", "%s is matched", "Edit is matched", "other", "left out"].map((name) => hasTest(text, name)),
  ).toEqual([true, true, true, false, false, false]);
});
