import type { CodeReads } from "./code-reader.ts";
import { type Language, tokensOf } from "./code-tokens.ts";
import { JavascriptReader } from "./read-javascript.ts";
import { PythonReader } from "./read-python.ts";

/** The files that a text of code reads or looks for. Nothing is run, and no file is opened. */
export function readCode(language: Language, text: string): CodeReads {
  const tokens = tokensOf(text, language);
  if (!tokens) return { names: [], tails: [], written: [], lines: [], loads: [], unknown: ["its text cannot be taken apart"] };
  const reader = language === "python" ? new PythonReader(tokens) : new JavascriptReader(tokens);
  return reader.read();
}
