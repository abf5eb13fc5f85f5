/** The list as text, and back. Refuses what is not a whole list: half of one would be taken for the truth. */
import { z } from "zod";
import { STATUSES, type TaskState } from "./types.ts";

const VERSION = 1;

const TASK = z.object({
  id: z.string(),
  subject: z.string(),
  description: z.string(),
  activeForm: z.string().optional(),
  status: z.enum(STATUSES),
  owner: z.string().optional(),
  holder: z.object({ pid: z.number(), startTime: z.string() }).optional(),
  blockedBy: z.array(z.string()),
});
const STATE = z.object({ version: z.literal(VERSION), nextId: z.number().int().positive(), tasks: z.array(TASK) });

export const NO_TASKS: TaskState = { nextId: 1, tasks: [] };

export function stateText({ nextId, tasks }: TaskState): string {
  return `${JSON.stringify({ version: VERSION, nextId, tasks }, null, 1)}\n`;
}

/** Throws if it is no list. */
export function readStateText(text: string): TaskState {
  const { data, error } = STATE.safeParse(JSON.parse(text));
  if (data) return data;
  throw new Error(error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}
