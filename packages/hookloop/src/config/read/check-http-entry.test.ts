import { describe, expect, test } from "vitest";
import { createDialects } from "../../dialects/index.ts";
import type { ConfigDocument } from "../types.ts";
import { readDocument } from "./read-document.ts";

function readHook(entry: object, dialect = "claude"): ConfigDocument {
  const text = JSON.stringify({
    hooks: {
      PreToolUse: [
        {
          hooks: [
            { type: "http", ...entry },
            { type: "command", command: "true" },
          ],
        },
      ],
    },
  });
  return readDocument({ source: { scope: "user", dialect, file: "/p/hooks.json", root: "/p" }, dialects: createDialects(), text });
}

const kinds = ({ hooks }: ConfigDocument): string[] => hooks.map(({ kind }) => kind);
const codes = ({ diagnostics }: ConfigDocument): string[] => diagnostics.map(({ code }) => code);

describe("an http hook", () => {
  test("with an address, headers and variables is taken as it is", () => {
    const fields = { url: "https://hooks.example/x", headers: { Authorization: "Bearer $TOKEN" }, allowedEnvVars: ["TOKEN"], timeout: 3 };
    const document = readHook(fields);
    expect(codes(document)).toEqual([]);
    expect(document.hooks[0]?.fields).toEqual(fields);
  });

  test.each(["hooks.example/x", "/x", "ftp://hooks.example/", "file:///x", "http://", "http://localhost:$PORT/", "https://a b/"])(
    "with the URL %j is left out and its neighbour stays",
    (url) => {
      const document = readHook({ url });
      expect(codes(document)).toEqual(["HL_CONFIG_BAD_URL"]);
      expect(kinds(document)).toEqual(["command"]);
    },
  );

  test.each([5, null, ["a"], {}])("with the header value %j is left out", (value) => {
    const document = readHook({ url: "https://hooks.example/", headers: { "X-Right": "a", "X-Wrong": value } });
    expect(codes(document)).toEqual(["HL_CONFIG_WRONG_TYPE"]);
    expect(document.diagnostics[0]?.text).toContain("X-Wrong");
    expect(kinds(document)).toEqual(["command"]);
  });

  test("may be signed in a native file, and a Claude file with that word is reported", () => {
    const fields = { url: "https://hooks.example/", secretEnv: "HOOK_SECRET" };
    expect(codes(readHook(fields, "native"))).toEqual([]);
    expect(codes(readHook(fields))).toEqual(["HL_CONFIG_CLAUDE_WOULD_DROP_FILE"]);
  });
});
