import { expect, test } from "vitest";
import { asIs, inLocale, isUtf8 } from "./terminal.ts";

test.each([
  [{ LANG: "C.UTF-8" }, true],
  [{ LANG: "de_DE.utf8" }, true],
  [{ LANG: "C" }, false],
  [{ LANG: "POSIX" }, false],
  [{}, false],
  [{ LANG: "en_US.ISO-8859-1" }, false],
  [{ LANG: "en_US.UTF-8", LC_ALL: "C" }, false],
  [{ LANG: "C", LC_CTYPE: "en_US.UTF-8" }, true],
  [{ LANG: "en_US.UTF-8", LC_ALL: "" }, true],
])("%j: UTF-8 is %s", (env, expected) => {
  expect(isUtf8(env)).toBe(expected);
});

test("without a UTF-8 locale signs are ASCII, and other people's letters stay what they are", () => {
  const text = "● a · b … ⎿ ✓ ✗ ▸ ↳ → ≥ — “x” ┌─┐│╔ ⠋";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what ASCII is
  expect(inLocale(text, { LANG: "C" })).toMatch(/^[\x00-\x7f]*$/);
  expect(inLocale("größe.txt 日本", { LANG: "C" })).toBe("größe.txt 日本");
  expect(inLocale(text, { LANG: "C.UTF-8" })).toBe(text);
});

test("contents keep their signs in every locale, also beside ours", () => {
  const contents = "● a · b … ⎿ ✗ → “x” ┌ ⠋";
  for (const env of [{ LANG: "C" }, { LANG: "C.UTF-8" }]) expect(inLocale(asIs(contents, env), env)).toBe(contents);
  expect(inLocale(`⎿ ${asIs("a → b", { LANG: "C" })} …`, { LANG: "C" })).toBe("| a → b ...");
});
