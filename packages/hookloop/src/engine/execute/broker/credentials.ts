import { closeSync, openSync, readSync } from "node:fs";

const page = Buffer.alloc(4096);
const INHERITED = /^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp):.*$/gm;

/**
 * What a process started now would be allowed to do, as one text to compare; `undefined` where there is no `/proc`.
 * 60 µs. `process.umask()` would be faster, but sets the mask to 0 for a moment.
 */
export function readCredentials(): string | undefined {
  try {
    const fd = openSync("/proc/self/status", "r");
    try {
      return page
        .toString("latin1", 0, readSync(fd, page, 0, page.length, 0))
        .match(INHERITED)
        ?.join("\n");
    } finally {
      closeSync(fd);
    }
  } catch {
    // No /proc on this system: nothing can be compared.
    return undefined;
  }
}

/** User and group of this process, real and effective: the part of its credentials that takes 5 µs to read. */
export function readIds(): string {
  return [process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getegid?.()].join();
}
