import { hasAny, valuesOf } from "../../arguments/program-arguments.ts";
import type { ShellWord } from "../../types.ts";
import { type Claim, each, type Program } from "./claim.ts";

/** Only what is written is claimed: of the other words nothing is known. */
function writing(pick: (operands: readonly ShellWord[], words: readonly ShellWord[]) => readonly ShellWord[], valued = ""): Program {
  return { forms: { valued }, runsInput: NEVER, claims: (read, words) => each(pick(read.operands, words), "write") };
}

const NEVER = /(?!)/;
const LOOKS_ONLY = /^--?(?:check|diff|dry-run|list|lint|check-only|verify|c|d|l|n)(?:-.*|=.*)?$/;

/** Changes what it is given, unless it is only to look. */
const ALWAYS = writing((operands, words) => (words.some(({ text }) => LOOKS_ONLY.test(text)) ? [] : operands));
/** Changes what it is given, whatever its options. */
const IN_ANY_CASE = writing((operands) => operands);
/** What it makes stands last. */
const LAST = writing((operands) => operands.slice(-1));

/** Changes what it is given only with one of these words. */
function onlyWith(switches: RegExp): Program {
  return writing((operands, words) => (words.some(({ text }) => switches.test(text)) ? operands : []));
}

const WRITES = /^(?:-[A-Za-z]*w[A-Za-z]*|--write|--in-place|--overwrite)$/;
const IN_PLACE = /^(?:-[A-Za-z]*i[A-Za-z]*|--in-?place)$/;

/** `history -w file`, `history -a file`; the others of its letters read one. */
const HISTORY: Program = {
  forms: {},
  claims: (read): readonly Claim[] => {
    if (hasAny(read, ["w", "a", "W", "A"])) return each(read.operands, "write");
    return hasAny(read, ["r", "n", "R"]) ? each(read.operands, "read") : [];
  },
};

const rows = (names: string, program: Program): Readonly<Record<string, Program>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, program]));

/** Formatters, fixers, converters, and programs that change a file's blocks or attributes. */
export const REWRITING: Readonly<Record<string, Program>> = {
  ...rows(
    "fallocate setfattr mknod patchelf strip chrpath ranlib setcap chcon restorecon mogrify jpegoptim optipng pngquant mkswap e4defrag",
    IN_ANY_CASE,
  ),
  ...rows("black isort rustfmt stylua pyupgrade swiftformat ktlint recode fromdos todos standardrb dartfmt", ALWAYS),
  ...rows("prettier shfmt gofmt goimports gofumpt codespell misspell", onlyWith(WRITES)),
  ...rows(
    "eslint stylelint oxlint biome markdownlint markdownlint-cli2 standard xo tslint ruff sqlfluff djlint",
    onlyWith(/^(?:--?(?:fix|write|apply|autofix|unsafe)(?:-.*|=.*)?|format|fix)$/),
  ),
  ...rows("clang-format autopep8 yapf autoflake docformatter latexindent uncrustify astyle", onlyWith(IN_PLACE)),
  ...rows("rubocop", onlyWith(/^(?:-[aAx]|--(?:auto-?correct|fix)(?:-all)?)$/)),
  ...rows("ffmpeg convert magick sox wkhtmltopdf qpdf pdftotext pdftoppm lame oggenc cwebp dwebp objcopy", LAST),
  logrotate: {
    forms: { valued: "slm", longValued: ["state", "log", "mail"] },
    claims: (read) => [...each(valuesOf(read, ["s", "state", "l", "log"]), "write"), ...each(read.operands, "read")],
  },
  tidy: onlyWith(/^-[a-z]*m[a-z]*$/),
  perltidy: onlyWith(/^-b/),
  dprint: onlyWith(/^fmt$/),
  terraform: onlyWith(/^fmt$/),
  history: HISTORY,
  fc: HISTORY,
};
