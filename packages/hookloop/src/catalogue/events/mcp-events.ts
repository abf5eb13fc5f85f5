import { choice, type Fields, known, optional, record, text } from "../field.ts";
import { type EventRows, GATE, KINDS_WITHOUT_MODEL } from "../row.ts";

const ACTIONS = ["accept", "decline", "cancel"];
const MODE: Fields = { mode: optional(known(["form", "url"], "A form to fill in, or a page to open.")) };
const ELICITATION_ID: Fields = { elicitation_id: optional(text("Id of the question.")) };
const SERVER_MATCHER = { field: "mcp_server_name", values: [] };

const ANSWER: Fields = {
  action: optional(choice(ACTIONS, "The answer.")),
  content: optional(record("The filled-in form, with `accept`.")),
};

const ELICITATION = {
  ...GATE,
  matcher: SERVER_MATCHER,
  kinds: KINDS_WITHOUT_MODEL,
  block: "action",
  honoursContinue: false,
  output: ANSWER,
  merge: "answer",
} as const;

export const MCP_EVENTS: EventRows<"Elicitation" | "ElicitationResult"> = {
  Elicitation: {
    ...ELICITATION,
    fires: "when an MCP server asks the user for input, before the user is asked",
    input: {
      mcp_server_name: text("The server."),
      message: text("What it asks."),
      ...MODE,
      url: optional(text("The page to open.")),
      ...ELICITATION_ID,
      requested_schema: optional(record("JSON Schema of the form.")),
    },
    blockMeans: "the question is declined and the user is not asked",
    exit2Means: "declines the question",
    sample: {
      mcp_server_name: "github",
      message: "Which repository?",
      mode: "form",
      requested_schema: { type: "object", properties: { repository: { type: "string" } } },
    },
  },
  ElicitationResult: {
    ...ELICITATION,
    fires: "when the user has answered an MCP server's question, before the answer goes back",
    input: {
      mcp_server_name: text("The server."),
      action: known(ACTIONS, "What the user chose."),
      content: optional(record("The filled-in form.")),
      ...MODE,
      ...ELICITATION_ID,
    },
    blockMeans: "the server gets `decline` instead of the answer",
    exit2Means: "turns the answer into `decline`",
    sample: { mcp_server_name: "github", action: "accept", content: { repository: "hookloop" }, mode: "form" },
  },
};
