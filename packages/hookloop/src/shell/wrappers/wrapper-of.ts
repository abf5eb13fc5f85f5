import { LAUNCHERS } from "./launcher-table.ts";
import { REMOTE_WRAPPERS } from "./remote-table.ts";
import { SYSTEM_WRAPPERS } from "./system-wrappers.ts";
import type { Wrapper } from "./wrapper.ts";
import { WRAPPERS } from "./wrapper-table.ts";

const TABLES = [WRAPPERS, REMOTE_WRAPPERS, SYSTEM_WRAPPERS, LAUNCHERS];
/** The loader of shared libraries starts any program: `ld-linux-x86-64.so.2`, `ld-musl-x86_64.so.1`, `ld-2.31.so`. */
const LOADER = /^ld(?:[\d.]|-[\w.-]+)*\.so(?:\.\d+)*$/;
/** GNU programs where others have the plain names. */
const GNU = /^g(?=(?:env|nice|nohup|stdbuf|xargs|chroot|time|runcon)$)/;

/** What is known of a program that starts others. */
export function wrapperOf(given: string): Wrapper | undefined {
  const name = LOADER.test(given) ? "ld.so" : given.replace(GNU, "");
  return TABLES.find((table) => Object.hasOwn(table, name))?.[name];
}
