import { RING_LIMIT } from "./limits.ts";

/** The latest lines, as many as fit. */
export interface MemoryRing {
  add(line: string): void;
  lines(): readonly string[];
}

export function createMemoryRing(limit: number = RING_LIMIT): MemoryRing {
  const kept: string[] = [];
  let size = 0;
  return {
    add(line) {
      kept.push(line);
      size += line.length;
      while (size > limit && kept.length > 1) size -= kept.shift()?.length ?? 0;
    },
    lines: () => [...kept],
  };
}
