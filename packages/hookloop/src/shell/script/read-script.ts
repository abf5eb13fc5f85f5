import type { SyntaxNode } from "unbash";
import { loadParser } from "../load-parser.ts";
import { readBranches, readCases, readChain } from "./branches.ts";
import { checkInside, checkNode } from "./check-node.ts";
import { readGroup, readLoop, readPipeline } from "./compound-commands.ts";
import { readEvaluated } from "./evaluated/read-evaluated.ts";
import type { Findings } from "./findings.ts";
import { type Place, spanIn } from "./place.ts";
import type { Reader } from "./reader.ts";
import { readSimpleCommand } from "./simple-command.ts";
import { mayChangeFolder } from "./state/folders.ts";
import { ShellState } from "./state/shell-state.ts";

/** `name ()` and `function name`: a cheap look, for what may be called before it is defined. */
const FUNCTION = /(?<![\w.:-])([\w.:-]+)\s*\(\s*\)|\bfunction\s+([\w.:-]+)/g;

/** A reader that adds to `found` what scripts run. */
export function createReader(found: Findings): Reader {
  const reader: Reader = {
    found,
    readScript: (text, place) => {
      for (const [, before, after] of text.matchAll(FUNCTION)) found.functions.add(before ?? after ?? "");
      if (found.mayParse(text)) reader.readNode(loadParser().parse(text), { ...place, source: text });
    },
    readApart: (what, read) => {
      const apart = found.apart(what);
      if (!apart) return;
      const inner = createReader(apart);
      try {
        read(inner);
        readEvaluated(inner);
      } catch {
        // The parser recurses, and what it was given need not be shell text at all.
        apart.doubt("unparsable", "Code of another language could not be parsed.", what.span);
      }
      found.foreignDoubts.push(...apart.doubts);
    },
    readNode: (node, place) => {
      checkNode(node, place, found);
      readNode(node, place, reader);
    },
  };
  return reader;
}

function readNode(node: SyntaxNode, place: Place, reader: Reader): void {
  if (node.type === "Command") readSimpleCommand(node, place, reader);
  else if (node.type === "AndOr") readChain(node, place, reader);
  else if (node.type === "Pipeline") readPipeline(node, place, reader);
  else if (node.type === "Statement") reader.readNode(node.command, node.background ? inSubshell(place) : place);
  else if (node.type === "Redirected") readGroup(node, place, reader);
  else if (node.type === "If") readBranches(node, place, reader);
  else if (node.type === "Case") readCases(node, place, reader);
  else if (isLoop(node)) readLoop(node, place, reader);
  else if (node.type === "Function") readFunction(node, place, reader);
  else if (isSubstitution(node)) readSubstitution(node, place, reader);
  else readChildren(node, node.type === "Subshell" || node.type === "Coproc" ? inSubshell(place) : place, reader);
}

type Loop = Extract<SyntaxNode, { type: "For" | "Select" | "While" | "ArithmeticFor" }>;
type Substitution = Extract<SyntaxNode, { type: "CommandExpansion" | "ProcessSubstitution" | "ArithmeticCommandExpansion" }>;

function isLoop(node: SyntaxNode): node is Loop {
  const { type } = node;
  return type === "For" || type === "Select" || type === "While" || type === "ArithmeticFor";
}

function isSubstitution(node: SyntaxNode): node is Substitution {
  const { type } = node;
  return type === "CommandExpansion" || type === "ProcessSubstitution" || type === "ArithmeticCommandExpansion";
}

function readChildren(node: SyntaxNode, place: Place, reader: Reader): void {
  // `((x = 1))`
  if (node.type === "ArithmeticCommand") place.state.forget();
  const inside = node.type === "Assignment" ? { ...place, isAssignment: true, printsData: false } : place;
  loadParser().forEachChild(node, (child) => reader.readNode(child, inside));
}

function inSubshell(place: Place): Place {
  return { ...place, state: new ShellState(place.state) };
}

/** The body runs when the function is called: with whatever variables and folder there are then. */
function readFunction(node: Extract<SyntaxNode, { type: "Function" }>, place: Place, reader: Reader): void {
  const state = new ShellState(place.state);
  state.forget();
  if (mayChangeFolder(place.source)) state.folders.goAnywhere();
  const changesFolder = mayChangeFolder(place.source.slice(node.pos, node.end));
  reader.found.functions.add(node.name.text);
  place.state.functions.set(node.name.text, { changesFolder });
  state.functions.set(node.name.text, { changesFolder });
  reader.readNode(node.body, { ...place, state, stdin: undefined, printsData: false });
}

function readSubstitution(node: Substitution, place: Place, { found, readNode }: Reader): void {
  if (node.type !== "ProcessSubstitution" && !place.isAssignment) found.hasSubstitution = true;
  const { script } = node;
  if (!script) {
    found.doubt("unparsable", "A substitution could not be parsed.", spanIn(place, node));
    return;
  }
  // `${ command; }` runs in the shell itself.
  if (node.text.startsWith("${")) {
    place.state.giveUp();
    if (mayChangeFolder(node.text)) place.state.folders.goAnywhere();
  }
  const inside = inSubshell(place);
  // bash 5.2 moves an assignment after a here-document in a substitution into the background, and may join commands.
  if (node.text.includes("<<")) inside.state.giveUp();
  if (script.commands.length > 1 && pipesHereDocument(node.text))
    found.doubt("misread", "Shells differ in what follows a here-document in a substitution.", spanIn(place, node));
  if (script.source === undefined) checkInside(script, node, place, found);
  const decoded = script.source === undefined ? {} : { source: script.source, fixed: spanIn(place, node) };
  const start = found.commands.length;
  readNode(script, { ...inside, ...decoded, redirects: [] });
  if (node.type !== "ProcessSubstitution") found.evaluated.addOutput(node.text, [start, found.commands.length]);
}

/** Whether a here-document's text is followed by a pipe, and that by another command. */
function pipesHereDocument(text: string): boolean {
  const pipe = text.indexOf("|", text.search(/(?<!<)<<(?!<)/) + 1);
  return /(?<!<)<<(?!<)/.test(text) && pipe !== -1 && text.includes(";", pipe);
}
