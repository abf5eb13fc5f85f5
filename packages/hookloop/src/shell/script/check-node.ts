import type { CommandArgument, SyntaxNode } from "unbash";
import { hasOddUnquoted } from "../words/odd-characters.ts";
import { noteNode } from "./evaluated/nodes.ts";
import type { Findings } from "./findings.ts";
import { type Place, spanIn } from "./place.ts";
import { isZshWord } from "./zsh.ts";

/** `((rm -rf /))`: two nested groups to a shell without arithmetic commands. */
const COMMAND_LIKE = /[a-z]\s+(?:-[a-z]|[/~.\w])/i;

/** Where a `#` starts no comment. */
const HOLDS_TEXT = new Set([
  "Word",
  "Assignment",
  "HereDoc",
  "HereDocBody",
  "ArithmeticCommand",
  "ArithmeticFor",
  "TestCommand",
  "ExtendedGlob",
]);

/** SECURITY: the tripwire for texts that this parser and bash are known to read differently (security.md §5.3). */
export function checkNode(node: SyntaxNode, place: Place, found: Findings): void {
  if (found.words && !place.fixed && HOLDS_TEXT.has(node.type)) found.words.push({ start: node.pos, end: node.end });
  noteNode(node, place, found);
  if (node.type === "Word" || node.type === "Assignment") checkWord(node, place, found);
  else if (node.type === "Script") {
    if (node.errors?.length) found.doubt("unparsable", `It is not valid: ${node.errors[0]?.message}.`, spanIn(place, node));
  } else {
    const problem = misreading(node, place);
    if (problem) found.doubt("misread", problem, spanIn(place, node));
  }
}

/** SECURITY: a child that reaches out of its parent shows that the parser lost its place. */
export function checkInside(child: Range, parent: Range, place: Place, found: Findings): void {
  if (child.pos < parent.pos || child.end > parent.end) found.doubt("misread", "A part reaches out of the whole.", spanIn(place, parent));
}

interface Range {
  readonly pos: number;
  readonly end: number;
}

function checkWord(node: CommandArgument, place: Place, found: Findings): void {
  if (place.mayBeOdd && hasOddUnquoted(node))
    found.doubt("odd-characters", "Control characters or unusual blanks stand outside quotes.", spanIn(place, node));
  if (found.isZsh && node.type === "Word" && isZshWord(node))
    found.doubt("zsh", "zsh reads this word in its own way.", spanIn(place, node));
}

/** Why shells may read a node in another way, if they may. */
function misreading(node: SyntaxNode, { source, isPosix }: Place): string | undefined {
  switch (node.type) {
    case "ArithmeticExpansion":
      return node.text.startsWith("$((") && !node.text.endsWith("))") ? "Arithmetic does not end where it should." : undefined;
    case "ArithmeticCommand":
      if (!source.slice(node.pos, node.end).endsWith("))")) return "Arithmetic does not end where it should.";
      return isPosix || COMMAND_LIKE.test(node.body) ? "Some shells read this arithmetic as commands." : undefined;
    case "CommandExpansion":
      return node.text.startsWith("`") && node.text.includes('\\"') ? 'Shells differ in what \\" means between backticks.' : undefined;
    case "TestLogical":
      return isPosix ? "Some shells read [[ … && … ]] as two commands." : undefined;
    default:
      return undefined;
  }
}
