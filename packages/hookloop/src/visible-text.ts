/** Controls, direction marks, blanks without width and the like: what makes a terminal show something else than what is there. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Cn}\p{Variation_Selector}\u115f\u1160\u3164\uffa0]/gu;

/** Text of somebody else as a person must see it before they believe it: every hidden character is spelled out, in the way of JSON. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (hidden) =>
    hidden
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** JSON in which nothing is hidden; it is the same value. */
export function visibleJson(value: unknown): string {
  return visible(JSON.stringify(value, null, 2));
}
