import { expect, it } from "vitest";
import { readCredentials, readIds } from "./broker.ts";

it("are the same as long as nothing changes", () => {
  expect(readCredentials()).toMatch(/^Umask:\t\d{4}$/m);
  expect(readCredentials()).toBe(readCredentials());
});

it("differ after the umask has changed, and are the same again after it was changed back", () => {
  const before = readCredentials();
  const mask = process.umask(0o031);
  const during = readCredentials();
  process.umask(mask);
  expect(during).toContain("0031");
  expect([during === before, readCredentials() === before]).toEqual([false, true]);
});

it("name user and group, real and effective", () => {
  expect(readIds()).toBe(`${process.getuid?.()},${process.geteuid?.()},${process.getgid?.()},${process.getegid?.()}`);
});
