/** One promised behaviour of a source system: the test that shows it, or what we do instead and why, or both. */
export interface Requirement {
  readonly id: string;
  /** What the source promises, in our words. */
  readonly promise: string;
  /** `file › the name of a test in it, or how that name begins`. */
  readonly tests: readonly string[];
  readonly difference?: Difference;
  /** The work that brings it. */
  readonly planned?: Planned;
}

export interface Difference {
  /** What we do instead, and why. */
  readonly here: string;
  /** Where the docs explain it: `page#anchor` below `docs/`. */
  readonly page: string;
}

export type Planned = "working context";

export interface Group {
  readonly title: string;
  /** The page that has it: `page#anchor` below `docs/`. */
  readonly where: string;
  readonly rows: readonly Requirement[];
}

export interface Source {
  readonly id: "S0" | "S1" | "S2" | "S3" | "S4";
  readonly title: string;
  /** What it is, and where it is here. */
  readonly introduction: string;
  readonly groups: readonly Group[];
}

export const works = (id: string, promise: string, ...tests: readonly string[]): Requirement => ({ id, promise, tests });

export const differs = (id: string, promise: string, difference: Difference, ...tests: readonly string[]): Requirement => ({
  id,
  promise,
  difference,
  tests,
});

export const planned = (work: Planned, rows: Readonly<Record<string, string>>): readonly Requirement[] =>
  Object.entries(rows).map(([id, promise]) => ({ id, promise, tests: [], planned: work }));
