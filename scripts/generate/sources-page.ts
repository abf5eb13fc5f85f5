import type { Group, Requirement, Source } from "../../test/requirements/requirement.ts";
import { SOURCES } from "../../test/requirements.ts";

const INTRODUCTION = `# The five sources

<!-- Made from test/requirements.ts by \`npm run generate\`. Do not edit. -->

hookloop brings five hook systems together. Each keeps working in its own words: code and configuration that were written for it run after the path of the import is changed. Where we differ on purpose, the table
[Where we differ](#where-we-differ) says what holds, and why. Every row has a test, and the link leads to it.
`;

/** What each source system promises, where it is here, and where we differ. */
export function sourcesPage(): string {
  return [INTRODUCTION, overview(), ...SOURCES.map(section), differences(), plans()].join("\n");
}

const rowsOf = ({ groups }: Source): readonly Requirement[] => groups.flatMap(({ rows }) => rows);
const count = (rows: readonly Requirement[], has: (row: Requirement) => boolean): string => String(rows.filter(has).length);

function overview(): string {
  const lines = SOURCES.map((source) => {
    const rows = rowsOf(source);
    const counts = [
      count(rows, ({ difference, planned }) => !difference && !planned),
      count(rows, ({ difference }) => difference !== undefined),
      count(rows, ({ planned }) => planned !== undefined),
    ];
    return `| ${source.id} | [${source.title}](#${anchor(`${source.id} · ${source.title}`)}) | ${counts.join(" | ")} |`;
  });
  return ["| | Source | Works | Differs | Planned |", "|---|---|---|---|---|", ...lines, ""].join("\n");
}

function section(source: Source): string {
  return [`## ${source.id} · ${source.title}`, "", source.introduction, "", ...source.groups.map(table).filter(Boolean)].join("\n");
}

function table({ title, where, rows }: Group): string {
  const present = rows.filter(({ planned }) => !planned);
  if (present.length === 0) return "";
  return [
    `### ${title}`,
    "",
    `Here: [${where}](${where}).`,
    "",
    "| | What it promises | Shown by |",
    "|---|---|---|",
    ...present.map(
      ({ id, promise, tests, difference }) =>
        `| ${id} | ${cell(promise)}${difference ? " — [differs](#where-we-differ)" : ""} | ${links(tests)} |`,
    ),
    "",
  ].join("\n");
}

function differences(): string {
  const lines = SOURCES.flatMap(rowsOf).flatMap(({ id, promise, difference }) =>
    difference ? [`| ${id} | ${cell(promise)} | ${cell(difference.here)} [More](${difference.page}) |`] : [],
  );
  return ["## Where we differ", "", "| | The source says | Here, and why |", "|---|---|---|", ...lines, ""].join("\n");
}

function plans(): string {
  const lines = SOURCES.flatMap(rowsOf).flatMap(({ id, promise, planned }) =>
    planned ? [`| ${id} | ${cell(promise)} | ${planned} |`] : [],
  );
  return ["## Not here yet", "", "| | What the source promises | Comes with |", "|---|---|---|", ...lines, ""].join("\n");
}

function links(tests: readonly string[]): string {
  const files = new Set(tests.map((test) => test.split(" › ")[0] ?? ""));
  return [...files].map((file) => `[${file.split("/").at(-1)}](../${file})`).join(", ");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** As GitHub makes it from a heading. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}
