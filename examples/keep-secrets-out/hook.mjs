// @ts-check
// Denies writing a recognisable secret into a file, for everyone whose files end up in a repository.
// It knows tokens by their shape: a password, or a secret put together by two calls or written by a shell command, is not seen.
import { deny, hook } from "@hookloop/sdk";

/** @type {readonly (readonly [name: string, shape: RegExp])[]} */
const SECRETS = [
  // The bare header is no secret: source code that looks for keys contains it too.
  ["private key", /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,200}?[A-Za-z0-9+/]{40}/],
  // AWS uses keys that end in EXAMPLE in its own documentation.
  ["AWS access key", /\b(?:AKIA|ASIA)(?![A-Z0-9]{9}EXAMPLE\b)[A-Z0-9]{16}\b/],
  ["GitHub token", /\bgh[opsur]_[A-Za-z0-9]{36}|\bgithub_pat_\w{50}/],
  ["GitLab token", /\bglpat-[\w-]{20}/],
  ["Anthropic key", /\bsk-ant-[\w-]{24}/],
  ["OpenAI key", /\bsk-[\w-]{20,200}T3BlbkFJ[\w-]{20}/],
  ["Slack token", /\bxox[abeoprs]-[\w-]{20}|hooks\.slack\.com\/services\/T\w{8,}\/B\w{8,}\/\w{20}/],
  ["Google API key", /\bAIza[\w-]{35}/],
  ["Stripe key", /\b[rs]k_live_[A-Za-z0-9]{20}/],
  ["npm token", /\bnpm_[A-Za-z0-9]{36}/],
];

const TOOLS = /** @type {const} */ (["Write", "Edit", "MultiEdit", "NotebookEdit"]);

export const keepSecretsOut = hook("PreToolUse", { name: "keep-secrets-out", tool: TOOLS, guard: true }, (input) => {
  const contents = newContents(input);
  // The types promise text, the wire does not. A pattern finds nothing in `undefined`, so without this a guard would let it through.
  if (!contents.every((content) => typeof content === "string")) throw new Error(`the input of ${input.tool_name} has no new content`);
  const found = SECRETS.filter(([, shape]) => contents.some((content) => shape.test(content))).map(([name]) => name);
  // SECURITY: the reason names the kind only. It goes to the model, the transcript and the log.
  if (found.length > 0)
    return deny(
      `The new content contains what looks like a secret (${found.join(", ")}). Read it from the environment or a secret store instead.`,
    );
});

/**
 * Only what is added: an edit that removes a secret must pass.
 * @param {import("@hookloop/sdk").HookInput<"PreToolUse", (typeof TOOLS)[number]>} input
 */
function newContents({ tool_name, tool_input }) {
  if (tool_name === "Write") return [tool_input.content];
  if (tool_name === "Edit") return [tool_input.new_string];
  if (tool_name === "MultiEdit") {
    const added = tool_input.edits.map(({ new_string }) => new_string);
    // One edit may continue what another began.
    return [...added, added.join("")];
  }
  return [tool_input.new_source];
}
