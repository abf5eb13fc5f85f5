import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import { readRules } from "./read-rules.ts";

/** Deny rules for files and addresses, against the tools that other agents have for the same. */

const root = "/home/user/app";

function decisionOf(rule: string, tool_name: string, tool_input: Record<string, unknown>): string | undefined {
  const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions: { deny: [rule], allow: [tool_name] } }]);
  return decide({ tool_name, tool_input, cwd: root }, rules, { root, home: "/home/me" }).decision;
}

test.each<[string, string, Record<string, unknown>]>([
  ["Read(.env)", "str_replace_based_edit_tool", { command: "view", path: "/home/user/app/.env" }],
  ["Read(.env)", "str_replace_editor", { command: "view", path: ".env" }],
  ["Read(.env)", "text_editor", { command: "view", path: ".env" }],
  ["Edit(.env)", "text_editor", { command: "create", path: ".env" }],
  ["Read(.env)", "read_many_files", { paths: ["a", ".env"] }],
  ["Read(.env)", "read_files", { files: [{ path: "a" }, { path: ".env" }] }],
  ["Read(.env)", "read_multiple_files", { paths: [".env"] }],
  ["Read(.env)", "get_file_contents", { path: ".env" }],
  ["Edit(.env)", "insert_edit_into_file", { filePath: ".env" }],
  ["Edit(.env)", "replace_string_in_file", { filePath: ".env" }],
  ["Edit(.env)", "multi_replace_string_in_file", { replacements: [{ filePath: ".env" }] }],
  ["Edit(.env)", "delete_file", { target_file: ".env" }],
  ["Edit(.env)", "move_file", { source: ".env", destination: "b" }],
  ["Edit(.env)", "move_file", { source: "b", destination: ".env" }],
  ["Read(.env)", "move_file", { source: ".env", destination: "b" }],
  ["WebFetch(domain:evil.com)", "fetch_webpage", { urls: ["https://ok.com", "https://evil.com/x"] }],
])("%s sees %s %j", (rule, tool, input) => expect(decisionOf(rule, tool, input)).toBe("deny"));

test.each<[string, string, Record<string, unknown>]>([
  ["Read(.env)", "str_replace_based_edit_tool", { command: "view", path: "a" }],
  ["Read(.env)", "str_replace_based_edit_tool", { command: "str_replace", path: ".env" }],
  ["Read(.env)", "read_many_files", { paths: ["a", "b"] }],
  ["Edit(.env)", "delete_file", { target_file: "a" }],
  ["WebFetch(domain:evil.com)", "fetch_webpage", { urls: ["https://ok.com"] }],
])("%s leaves alone %s %j", (rule, tool, input) => expect(decisionOf(rule, tool, input)).toBe("allow"));
