import { type Fields, optional, text } from "../field.ts";
import { type EventRows, GATE } from "../row.ts";

const TEAM: Fields = {
  teammate_name: optional(text("The teammate, when one is at work.")),
  team_name: optional(text("Deprecated: the team.")),
};

const TASK: Fields = {
  task_id: text("Id of the task."),
  task_subject: text("The task in one line."),
  task_description: optional(text("The task.")),
  ...TEAM,
};

const SAMPLE_TASK = {
  task_id: "3",
  task_subject: "Write the parser's tests",
  task_description: "Cover empty and nested input",
  teammate_name: "tester",
};
const EXIT_ONLY = 'Only exit code 2 blocks; `decision: "block"` is not read here.';

export const TEAM_EVENTS: EventRows<"TaskCreated" | "TaskCompleted" | "TeammateIdle"> = {
  TaskCreated: {
    ...GATE,
    fires: "when a task is being created",
    input: TASK,
    block: "exit",
    wording: "feedback",
    blockMeans: "the task is rolled back; the model gets the reason",
    exit2Means: "rolls the task back; stderr goes to the model",
    honoursContinue: false,
    pitfalls: [EXIT_ONLY],
    sample: SAMPLE_TASK,
  },
  TaskCompleted: {
    ...GATE,
    fires: "when a task is being marked as completed",
    input: TASK,
    block: "exit",
    wording: "feedback",
    blockMeans: "the task stays open; the model gets the reason",
    exit2Means: "keeps the task open; stderr goes to the model",
    onFailure: "continue",
    failureCanBlock: false,
    pitfalls: [EXIT_ONLY],
    sample: SAMPLE_TASK,
  },
  TeammateIdle: {
    ...GATE,
    fires: "when a teammate is about to have nothing to do",
    input: { teammate_name: text("The teammate."), team_name: optional(text("Deprecated: the team.")) },
    block: "exit",
    wording: "feedback",
    blockEffect: "continueTurn",
    blockMeans: "the teammate goes on, with the reason as feedback",
    exit2Means: "the teammate goes on; stderr is its feedback",
    role: "loop",
    onFailure: "continue",
    failureCanBlock: false,
    pitfalls: [EXIT_ONLY],
    sample: { teammate_name: "tester", team_name: "parser" },
  },
};
