/**
 * What a hook of the production system gives back, field by field, and what each field means here.
 * `hookResult({ … })` takes the fields; gives a value that a callback of the teaching loop may return. Throws at a field that does not exist.
 */

import type { Ability, Part } from "@hookloop/sdk";
import { type Allowed, checkEntries, invalidOption, isObject, shown } from "../check-options.ts";

/** Why something must not happen, and the command of the hook that said so. */
export interface HookBlockingError {
  readonly blockingError: string;
  readonly command: string;
}

/** The fourteen fields of the production system's hook result. */
export interface HookResultFields {
  /** Shown to the user. */
  readonly message?: string;
  /** The same. */
  readonly systemMessage?: string;
  /** Why it must not happen. */
  readonly blockingError?: string | HookBlockingError;
  readonly outcome?: "success" | "blocking" | "non_blocking_error" | "cancelled";
  /** The agent's work ends here, as a completion. */
  readonly preventContinuation?: boolean;
  readonly stopReason?: string;
  readonly permissionBehavior?: "allow" | "deny" | "ask" | "passthrough";
  /** Why, for people. */
  readonly hookPermissionDecisionReason?: string;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly additionalContext?: string;
  readonly updatedMCPToolOutput?: unknown;
  /** The first message of a session: SessionStart only. */
  readonly initialUserMessage?: string;
  /** The answer to a permission request. */
  readonly permissionRequestResult?: PermissionRequestResult;
  /** The model may try the denied call again: PermissionDenied only. */
  readonly retry?: boolean;
}

interface PermissionRequestResult {
  readonly behavior: "allow" | "deny";
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

const FIELDS: unique symbol = Symbol("hookloop.hook-result.fields");

/** A value of a callback that is not handed to the loop as it is, but read field by field. */
interface HookResultValue {
  readonly [FIELDS]: HookResultFields;
}

const FIELD_TYPES: Readonly<Record<keyof HookResultFields, Allowed>> = {
  message: "any text",
  systemMessage: "any text",
  blockingError: "anything",
  outcome: ["success", "blocking", "non_blocking_error", "cancelled"],
  preventContinuation: "flag",
  stopReason: "any text",
  permissionBehavior: ["allow", "deny", "ask", "passthrough"],
  hookPermissionDecisionReason: "any text",
  updatedInput: "object",
  additionalContext: "any text",
  updatedMCPToolOutput: "anything",
  initialUserMessage: "any text",
  permissionRequestResult: "plain object",
  retry: "flag",
};

/**
 * Says it with the production system's fields; any other value of a callback is the tool's result, the next message, … itself.
 * Throws at other fields: a misspelt no would be a yes.
 */
export function hookResult(fields: HookResultFields): HookResultValue {
  if (typeof fields !== "object" || fields === null) throw invalidOption(`hookResult() takes its fields, not ${shown(fields)}`);
  checkEntries("hookResult()", fields, FIELD_TYPES);
  const { blockingError, permissionRequestResult: answer } = fields;
  if (blockingError !== undefined && typeof blockingError !== "string" && !isBlockingError(blockingError))
    throw invalidOption(`blockingError of hookResult() is ${shown(blockingError)}. Write a text, or { blockingError, command }`);
  if (answer !== undefined && answer.behavior !== "allow" && answer.behavior !== "deny")
    throw invalidOption(
      'permissionRequestResult of hookResult() has no behavior. Write { behavior: "allow" } or { behavior: "deny", message }',
    );
  return { [FIELDS]: fields };
}

export function isBlockingError(value: unknown): value is HookBlockingError {
  return (
    isObject(value) &&
    typeof value["blockingError"] === "string" &&
    (value["command"] === undefined || typeof value["command"] === "string")
  );
}

/** The text of either form. */
export function blockingText(error: string | HookBlockingError | undefined): string | undefined {
  return typeof error === "object" ? error.blockingError : error;
}

export function fieldsOf(value: unknown): HookResultFields | undefined {
  return typeof value === "object" && value !== null && FIELDS in value ? (value as HookResultValue)[FIELDS] : undefined;
}

/** What a field says, or nothing. `canBlock` is false where the thing has already happened. */
type Reader = (fields: HookResultFields, canBlock: boolean) => readonly Part[];

const READERS: Readonly<Record<keyof HookResultFields, Reader>> = {
  message: ({ message }) => said("tellUser", message),
  systemMessage: ({ systemMessage }) => said("tellUser", systemMessage),
  blockingError: ({ blockingError, outcome }, canBlock) =>
    blockingError !== undefined || outcome === "blocking"
      ? [{ can: canBlock ? "block" : "feedback", value: blockingText(blockingError) ?? "" }]
      : [],
  // "blocking" is read with blockingError; the others say how the run went, which the engine sees for itself.
  outcome: () => [],
  preventContinuation: ({ preventContinuation, stopReason }) => (preventContinuation ? [{ can: "stop", value: stopReason }] : []),
  // Belongs to preventContinuation.
  stopReason: () => [],
  permissionBehavior: ({ permissionBehavior = "passthrough", hookPermissionDecisionReason: why, blockingError, message }) =>
    permissionBehavior === "passthrough" ? [] : [{ can: permissionBehavior, value: why ?? blockingText(blockingError) ?? message }],
  // Belongs to permissionBehavior.
  hookPermissionDecisionReason: () => [],
  updatedInput: ({ updatedInput }) => said("rewrite", updatedInput),
  additionalContext: ({ additionalContext }) => said("context", additionalContext),
  updatedMCPToolOutput: ({ updatedMCPToolOutput }) => said("replaceOutput", updatedMCPToolOutput),
  initialUserMessage: ({ initialUserMessage }) =>
    initialUserMessage === undefined ? [] : [{ can: "output", value: { initialUserMessage } }],
  permissionRequestResult: ({ permissionRequestResult: answer }) =>
    answer === undefined ? [] : [{ can: answer.behavior, value: answer.message }, ...said("rewrite", answer.updatedInput)],
  retry: ({ retry }) => (retry === undefined ? [] : [{ can: "output", value: { retry } }]),
};

/** What the fields say, for an event with these abilities; what it cannot say is left in, for the engine to report. */
export function partsOfFields(fields: HookResultFields, abilities: readonly Ability[]): readonly Part[] {
  const canBlock = abilities.includes("block");
  return Object.values(READERS).flatMap((read) => read(fields, canBlock));
}

function said(can: Ability, value: unknown): readonly Part[] {
  return value === undefined ? [] : [{ can, value }];
}
