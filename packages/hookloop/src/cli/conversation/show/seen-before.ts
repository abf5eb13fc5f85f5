/** For tired eyes: what stands on the screen in full is not said again by the offline model, whose answers repeat what tools gave. */
export interface SeenBefore {
  /** What a tool gave, shown in full. */
  result(text: string): void;
  /** A notice: a block with its reason. */
  notice(text: string): void;
  /** An answer without what was seen. */
  shortened(answer: string): string;
  /** Another prompt: what was seen has scrolled away. */
  forget(): void;
}

export function createSeenBefore(): SeenBefore {
  const results = new Set<string>();
  const notices = new Set<string>();
  return {
    result(text) {
      const own = text.trimEnd();
      if (own !== "") for (const one of [own, own.replace(LAST_EMPTY_LINE, ""), own.replace(EXIT_CODE, "")]) results.add(one);
    },
    notice: (text) => void notices.add(oneLine(text)),
    shortened(answer) {
      const short = [...results].filter(Boolean).reduce(withoutResult, answer);
      return short.replace(BLOCKED, (whole, reason: string) =>
        [...notices].some((notice) => notice.includes(oneLine(reason))) ? "a hook blocked it." : whole,
      );
    },
    forget() {
      results.clear();
      notices.clear();
    },
  };
}

/** The line behind the last new line, which Read numbers as well. */
const LAST_EMPTY_LINE = /\n *\d+(?:\t|→)?$/;
const EXIT_CODE = /^Exit code \d+\n/;
const BLOCKED = /a hook blocked it: ([\s\S]+?)(?=\n\n|$)/g;

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** What introduced the result, as a sentence of its own. */
function withoutColon(head: string): string {
  return `${head.replace(/ printed$/, " ran").replace(/(?<=^|\n)([^\n]+) says$/, "That is $1")}.`;
}

function withoutResult(answer: string, result: string): string {
  const at = answer.indexOf(`:\n${result}`);
  const rest = answer.slice(at + result.length + 2);
  return at < 0 || !(rest === "" || rest.startsWith("\n")) ? answer : `${withoutColon(answer.slice(0, at))}${rest}`;
}
