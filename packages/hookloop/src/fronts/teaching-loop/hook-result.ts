import type { Ability, Part } from "@hookloop/sdk";
import { type Allowed, checkEntries, invalidOption, shown } from "../../check-options.ts";

/** The nine named fields of the production system's hook result. */
export interface HookResultFields {
  /** Shown to the user. */
  readonly message?: string;
  /** Why it must not happen. */
  readonly blockingError?: string;
  readonly outcome?: "success" | "blocking" | "non_blocking_error" | "cancelled";
  /** The agent's work ends here, as a completion. */
  readonly preventContinuation?: boolean;
  readonly stopReason?: string;
  readonly permissionBehavior?: "allow" | "deny" | "ask" | "passthrough";
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly additionalContext?: string;
  readonly updatedMCPToolOutput?: unknown;
}

const FIELDS: unique symbol = Symbol("hookloop.teaching-loop.fields");

/** A value of a callback that is not handed to the loop as it is, but read field by field. */
export interface HookResultValue {
  readonly [FIELDS]: HookResultFields;
}

const FIELD_TYPES: Readonly<Record<keyof HookResultFields, Allowed>> = {
  message: "any text",
  blockingError: "any text",
  outcome: ["success", "blocking", "non_blocking_error", "cancelled"],
  preventContinuation: "flag",
  stopReason: "any text",
  permissionBehavior: ["allow", "deny", "ask", "passthrough"],
  updatedInput: "object",
  additionalContext: "any text",
  updatedMCPToolOutput: "anything",
};

/**
 * Says it with the production system's fields; any other value of a callback is the tool's result, the next message, … itself.
 * Throws at other fields: a misspelt no would be a yes.
 */
export function hookResult(fields: HookResultFields): HookResultValue {
  if (typeof fields !== "object" || fields === null) throw invalidOption(`hookResult() takes its fields, not ${shown(fields)}`);
  checkEntries("hookResult()", fields, FIELD_TYPES);
  return { [FIELDS]: fields };
}

/** The fields of such a value; nothing if it is another. */
export function fieldsOf(value: unknown): HookResultFields | undefined {
  return typeof value === "object" && value !== null && FIELDS in value ? (value as HookResultValue)[FIELDS] : undefined;
}

/** What a field says, or nothing. `canBlock` is false where the thing has already happened. */
type Reader = (fields: HookResultFields, canBlock: boolean) => readonly Part[];

const READERS: Readonly<Record<keyof HookResultFields, Reader>> = {
  message: ({ message }) => said("tellUser", message),
  blockingError: ({ blockingError, outcome }, canBlock) =>
    blockingError !== undefined || outcome === "blocking" ? [{ can: canBlock ? "block" : "feedback", value: blockingError ?? "" }] : [],
  // "blocking" is read with blockingError; the others say how the run went, which the engine sees for itself.
  outcome: () => [],
  preventContinuation: ({ preventContinuation, stopReason }) => (preventContinuation ? [{ can: "stop", value: stopReason }] : []),
  // Belongs to preventContinuation.
  stopReason: () => [],
  permissionBehavior: ({ permissionBehavior = "passthrough", blockingError, message }) =>
    permissionBehavior === "passthrough" ? [] : [{ can: permissionBehavior, value: blockingError ?? message }],
  updatedInput: ({ updatedInput }) => said("rewrite", updatedInput),
  additionalContext: ({ additionalContext }) => said("context", additionalContext),
  updatedMCPToolOutput: ({ updatedMCPToolOutput }) => said("replaceOutput", updatedMCPToolOutput),
};

/** What the fields say, for an event with these abilities; what it cannot say is left in, for the engine to report. */
export function partsOfFields(fields: HookResultFields, abilities: readonly Ability[]): readonly Part[] {
  const canBlock = abilities.includes("block");
  return Object.values(READERS).flatMap((read) => read(fields, canBlock));
}

function said(can: Ability, value: unknown): readonly Part[] {
  return value === undefined ? [] : [{ can, value }];
}
