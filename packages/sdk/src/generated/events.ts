// Made from the event catalogue by `npm run generate`. Do not edit.

/** In the payload of every event. */
export interface CommonInput {
  /** Id of the session. */
  readonly session_id: string;
  /** Path of the session's transcript (JSONL). It may lag behind: prefer fields of the payload. */
  readonly transcript_path: string;
  /** Current working directory; follows `cd`. */
  readonly cwd: string;
  /** Id of the prompt being worked on; absent before the first one. */
  readonly prompt_id?: string;
  /** Id of the subagent; present only inside a subagent, and that is how a hook tells. */
  readonly agent_id?: string;
  /** Type of the subagent, or the type the session was started with. */
  readonly agent_type?: string;
  /** The untouched payload, when another agent's payload was translated by hookloop. */
  readonly x_native?: Record<string, unknown>;
  /** What kind of tool it is, whatever the agent calls it; set by hookloop. */
  readonly x_kind?: "shell" | "file.read" | "file.write" | "mcp" | "web" | "agent" | "other" | (string & {});
}

/** It fires when the agent is started to set a project up or to maintain it (`--init`, `--init-only`, `--maintenance`). */
export interface SetupInput extends CommonInput {
  readonly hook_event_name: "Setup";
  /** Which of the two. */
  readonly trigger: "init" | "maintenance" | (string & {});
}

/** It fires when a session begins, resumes, is cleared, compacted or forked. */
export interface SessionStartInput extends CommonInput {
  readonly hook_event_name: "SessionStart";
  /** Why the session starts. */
  readonly source: "startup" | "resume" | "clear" | "compact" | "fork" | (string & {});
  /** The model. */
  readonly model?: string;
  /** The session's title. */
  readonly session_title?: string;
  /** On resume and fork: how long ago the last answer was. */
  readonly seconds_since_last_response?: number;
  /** On resume and fork: size of the context. */
  readonly context_tokens?: number;
  /** On resume and fork: the model's cache is probably cold. */
  readonly prompt_cache_likely_expired?: boolean;
  /** On resume and fork: what filling the cache again may cost. */
  readonly estimated_cache_write_usd?: number;
}

/** It fires when an instructions file (CLAUDE.md or a rules file) has been loaded. */
export interface InstructionsLoadedInput extends CommonInput {
  readonly hook_event_name: "InstructionsLoaded";
  /** The file. */
  readonly file_path: string;
  /** Whose instructions they are. */
  readonly memory_type: "User" | "Project" | "Local" | "Managed" | (string & {});
  /** Why it was loaded. */
  readonly load_reason: "session_start" | "nested_traversal" | "path_glob_match" | "include" | "compact" | (string & {});
  /** The globs that made it apply. */
  readonly globs?: readonly string[];
  /** The file whose use made it load. */
  readonly trigger_file_path?: string;
  /** The file that includes it. */
  readonly parent_file_path?: string;
}

/** It fires when a prompt was submitted, before the model sees it. */
export interface UserPromptSubmitInput extends CommonInput {
  readonly hook_event_name: "UserPromptSubmit";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The prompt. */
  readonly prompt: string;
  /** Who sent it. */
  readonly source?: "user" | "sdk" | "system" | "loop_wakeup" | "schedule_wakeup" | "poll_event" | (string & {});
  /** The session's title. */
  readonly session_title?: string;
}

/** It fires when a typed slash command or an MCP prompt is about to be expanded. */
export interface UserPromptExpansionInput extends CommonInput {
  readonly hook_event_name: "UserPromptExpansion";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** What is expanded. */
  readonly expansion_type: "slash_command" | "mcp_prompt" | (string & {});
  /** Name of the command, without the slash. */
  readonly command_name: string;
  /** What was typed after it. */
  readonly command_args: string;
  /** Where the command comes from: `projectSettings`, `userSettings`, `plugin`, or an MCP server's name. */
  readonly command_source?: string;
  /** The prompt as typed. */
  readonly prompt: string;
}

/** It fires before each model call of the agent. */
export interface PreModelRequestInput extends CommonInput {
  readonly hook_event_name: "PreModelRequest";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The model that is asked. */
  readonly model: string;
  /** The conversation as it is sent. */
  readonly messages: readonly Record<string, unknown>[];
  /** The tools that are offered. */
  readonly tools: readonly Record<string, unknown>[];
  /** Everything else of the request: token limit, temperature, … */
  readonly params: Record<string, unknown>;
}

/** It fires after each model call of the agent, before its tool calls are run. */
export interface PostModelResponseInput extends CommonInput {
  readonly hook_event_name: "PostModelResponse";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The model that is asked. */
  readonly model: string;
  /** The conversation as it is sent. */
  readonly messages: readonly Record<string, unknown>[];
  /** The tools that are offered. */
  readonly tools: readonly Record<string, unknown>[];
  /** Everything else of the request: token limit, temperature, … */
  readonly params: Record<string, unknown>;
  /** What the model answered. */
  readonly content: readonly Record<string, unknown>[];
  /** Why the model stopped. */
  readonly stop_reason: string | null;
  /** Token counts. */
  readonly usage: Record<string, unknown>;
}

/** It fires when text of the assistant is about to be shown (per batch of lines; once per message in headless runs). */
export interface MessageDisplayInput extends CommonInput {
  readonly hook_event_name: "MessageDisplay";
  /** The turn. */
  readonly turn_id: string;
  /** The message. */
  readonly message_id: string;
  /** Number of the batch inside the message. */
  readonly index: number;
  /** It is the message's last batch. */
  readonly final: boolean;
  /** The text of this batch. */
  readonly delta: string;
}

/** It fires before each tool call, in every permission mode and before the permission rules are consulted. */
export interface PreToolUseInput extends CommonInput {
  readonly hook_event_name: "PreToolUse";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The model's effort setting. */
  readonly effort?: {
    /** Name of the effort level. */
    readonly level: string;
  };
  /** Name of the tool, as in `Bash`, `Edit` or `mcp__server__tool`. */
  readonly tool_name: string;
  /** The tool's input; its fields depend on the tool. */
  readonly tool_input: Record<string, unknown>;
  /** Id of this call; the same before and after it. */
  readonly tool_use_id: string;
  /** The MCP server, when the tool belongs to one. */
  readonly mcp_server?: {
    /** Name of the server. */
    readonly name: string;
    /** Where it was configured. */
    readonly source: string;
  };
}

/** It fires when the user is about to be asked about a tool call, or the call would be refused because there is no user to ask. */
export interface PermissionRequestInput extends CommonInput {
  readonly hook_event_name: "PermissionRequest";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The model's effort setting. */
  readonly effort?: {
    /** Name of the effort level. */
    readonly level: string;
  };
  /** Name of the tool, as in `Bash`, `Edit` or `mcp__server__tool`. */
  readonly tool_name: string;
  /** The tool's input; its fields depend on the tool. */
  readonly tool_input: Record<string, unknown>;
  /** Rule changes the question would offer. */
  readonly permission_suggestions?: readonly (
    | {
        /** What to do with the rules. */
        readonly type: "addRules" | "replaceRules" | "removeRules";
        /** The rules. */
        readonly rules: readonly {
          /** The tool. */
          readonly toolName: string;
          /** What stands in the rule's brackets. */
          readonly ruleContent?: string;
        }[];
        /** The list they belong to. */
        readonly behavior: "allow" | "deny" | "ask";
        /** Where the change is kept. */
        readonly destination: "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg";
      }
    | {
        /** Change the mode. */
        readonly type: "setMode";
        /** The new mode. */
        readonly mode: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions";
        /** Where the change is kept. */
        readonly destination: "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg";
      }
    | {
        /** Change the working directories. */
        readonly type: "addDirectories" | "removeDirectories";
        /** The directories. */
        readonly directories: readonly string[];
        /** Where the change is kept. */
        readonly destination: "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg";
      }
  )[];
  /** The MCP server, when the tool belongs to one. */
  readonly mcp_server?: {
    /** Name of the server. */
    readonly name: string;
    /** Where it was configured. */
    readonly source: string;
  };
}

/** It fires after auto mode has refused a tool call. */
export interface PermissionDeniedInput extends CommonInput {
  readonly hook_event_name: "PermissionDenied";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** Name of the tool, as in `Bash`, `Edit` or `mcp__server__tool`. */
  readonly tool_name: string;
  /** The tool's input; its fields depend on the tool. */
  readonly tool_input: Record<string, unknown>;
  /** Id of this call; the same before and after it. */
  readonly tool_use_id: string;
  /** Why the call was refused. */
  readonly reason: string;
  /** The MCP server, when the tool belongs to one. */
  readonly mcp_server?: {
    /** Name of the server. */
    readonly name: string;
    /** Where it was configured. */
    readonly source: string;
  };
}

/** It fires after a tool call has succeeded. */
export interface PostToolUseInput extends CommonInput {
  readonly hook_event_name: "PostToolUse";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The model's effort setting. */
  readonly effort?: {
    /** Name of the effort level. */
    readonly level: string;
  };
  /** Name of the tool, as in `Bash`, `Edit` or `mcp__server__tool`. */
  readonly tool_name: string;
  /** The tool's input; its fields depend on the tool. */
  readonly tool_input: Record<string, unknown>;
  /** Id of this call; the same before and after it. */
  readonly tool_use_id: string;
  /** What the tool gave back; its shape depends on the tool. */
  readonly tool_response: unknown;
  /** How long the tool took. */
  readonly duration_ms?: number;
  /** The MCP server, when the tool belongs to one. */
  readonly mcp_server?: {
    /** Name of the server. */
    readonly name: string;
    /** Where it was configured. */
    readonly source: string;
  };
}

/** It fires after a tool call that was started has failed. */
export interface PostToolUseFailureInput extends CommonInput {
  readonly hook_event_name: "PostToolUseFailure";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The model's effort setting. */
  readonly effort?: {
    /** Name of the effort level. */
    readonly level: string;
  };
  /** Name of the tool, as in `Bash`, `Edit` or `mcp__server__tool`. */
  readonly tool_name: string;
  /** The tool's input; its fields depend on the tool. */
  readonly tool_input: Record<string, unknown>;
  /** Id of this call; the same before and after it. */
  readonly tool_use_id: string;
  /** What went wrong; for Bash `Exit code N`, a new line and what it printed. */
  readonly error: string;
  /** The user interrupted it. */
  readonly is_interrupt?: boolean;
  /** How long the tool took. */
  readonly duration_ms?: number;
  /** The MCP server, when the tool belongs to one. */
  readonly mcp_server?: {
    /** Name of the server. */
    readonly name: string;
    /** Where it was configured. */
    readonly source: string;
  };
}

/** It fires when all parallel tool calls of one turn are done, before the next model call; not after a call that ended the turn. */
export interface PostToolBatchInput extends CommonInput {
  readonly hook_event_name: "PostToolBatch";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The model's effort setting. */
  readonly effort?: {
    /** Name of the effort level. */
    readonly level: string;
  };
  /** Every call of the turn. */
  readonly tool_calls: readonly {
    /** Name of the tool, as in `Bash`, `Edit` or `mcp__server__tool`. */
    readonly tool_name: string;
    /** The tool's input; its fields depend on the tool. */
    readonly tool_input: Record<string, unknown>;
    /** Id of this call; the same before and after it. */
    readonly tool_use_id: string;
    /** The result as the text the model sees. */
    readonly tool_response?: string;
  }[];
}

/** It fires when the agent has finished and wants to stop (not after an interrupt or an API error). */
export interface StopInput extends CommonInput {
  readonly hook_event_name: "Stop";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The model's effort setting. */
  readonly effort?: {
    /** Name of the effort level. */
    readonly level: string;
  };
  /** The agent is already continuing because of a Stop hook: block again only if there is progress. */
  readonly stop_hook_active: boolean;
  /** The agent's last text; newer than the transcript. */
  readonly last_assistant_message?: string;
  /** What still runs in the background. */
  readonly background_tasks?: readonly {
    /** Its id. */
    readonly id: string;
    /** What it is. */
    readonly type: string;
    /** How far it is. */
    readonly status: string;
    /** What it does, at most 1,000 characters. */
    readonly description: string;
    /** The shell command. */
    readonly command?: string;
    /** The subagent's type. */
    readonly agent_type?: string;
    /** The MCP server. */
    readonly server?: string;
    /** The MCP tool. */
    readonly tool?: string;
    /** Its name. */
    readonly name?: string;
  }[];
  /** What is scheduled in this session. */
  readonly session_crons?: readonly {
    /** Its id. */
    readonly id: string;
    /** When it runs. */
    readonly schedule: string;
    /** It runs more than once. */
    readonly recurring: boolean;
    /** What it asks, at most 1,000 characters. */
    readonly prompt: string;
  }[];
}

/** It fires when a subagent is started. */
export interface SubagentStartInput extends CommonInput {
  readonly hook_event_name: "SubagentStart";
  /** Id of the subagent. */
  readonly agent_id: string;
  /** Type of the subagent. */
  readonly agent_type: string;
}

/** It fires when a subagent has finished. */
export interface SubagentStopInput extends CommonInput {
  readonly hook_event_name: "SubagentStop";
  /** Id of the subagent. */
  readonly agent_id: string;
  /** Type of the subagent. */
  readonly agent_type: string;
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The model's effort setting. */
  readonly effort?: {
    /** Name of the effort level. */
    readonly level: string;
  };
  /** The agent is already continuing because of a Stop hook: block again only if there is progress. */
  readonly stop_hook_active: boolean;
  /** The agent's last text; newer than the transcript. */
  readonly last_assistant_message?: string;
  /** What still runs in the background. */
  readonly background_tasks?: readonly {
    /** Its id. */
    readonly id: string;
    /** What it is. */
    readonly type: string;
    /** How far it is. */
    readonly status: string;
    /** What it does, at most 1,000 characters. */
    readonly description: string;
    /** The shell command. */
    readonly command?: string;
    /** The subagent's type. */
    readonly agent_type?: string;
    /** The MCP server. */
    readonly server?: string;
    /** The MCP tool. */
    readonly tool?: string;
    /** Its name. */
    readonly name?: string;
  }[];
  /** What is scheduled in this session. */
  readonly session_crons?: readonly {
    /** Its id. */
    readonly id: string;
    /** When it runs. */
    readonly schedule: string;
    /** It runs more than once. */
    readonly recurring: boolean;
    /** What it asks, at most 1,000 characters. */
    readonly prompt: string;
  }[];
  /** Path of the subagent's own transcript. */
  readonly agent_transcript_path: string;
}

/** It fires when a turn was ended by an API error. */
export interface StopFailureInput extends CommonInput {
  readonly hook_event_name: "StopFailure";
  /** What kind of error. */
  readonly error:
    | "authentication_failed"
    | "oauth_org_not_allowed"
    | "account_on_hold"
    | "verification_required"
    | "billing_error"
    | "rate_limit"
    | "overloaded"
    | "invalid_request"
    | "model_not_found"
    | "server_error"
    | "unknown"
    | "max_output_tokens"
    | "cloud_credential_error"
    | (string & {});
  /** More about it. */
  readonly error_details?: string;
  /** The text of the error as it was shown. */
  readonly last_assistant_message?: string;
}

/** It fires when a task is being created. */
export interface TaskCreatedInput extends CommonInput {
  readonly hook_event_name: "TaskCreated";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** Id of the task. */
  readonly task_id: string;
  /** The task in one line. */
  readonly task_subject: string;
  /** The task. */
  readonly task_description?: string;
  /** The teammate, when one is at work. */
  readonly teammate_name?: string;
  /** Deprecated: the team. */
  readonly team_name?: string;
}

/** It fires when a task is being marked as completed. */
export interface TaskCompletedInput extends CommonInput {
  readonly hook_event_name: "TaskCompleted";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** Id of the task. */
  readonly task_id: string;
  /** The task in one line. */
  readonly task_subject: string;
  /** The task. */
  readonly task_description?: string;
  /** The teammate, when one is at work. */
  readonly teammate_name?: string;
  /** Deprecated: the team. */
  readonly team_name?: string;
}

/** It fires when a teammate is about to have nothing to do. */
export interface TeammateIdleInput extends CommonInput {
  readonly hook_event_name: "TeammateIdle";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The teammate. */
  readonly teammate_name: string;
  /** Deprecated: the team. */
  readonly team_name?: string;
}

/** It fires when the agent notifies the user. */
export interface NotificationInput extends CommonInput {
  readonly hook_event_name: "Notification";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The message. */
  readonly message: string;
  /** Its title. */
  readonly title?: string;
  /** What it is about. */
  readonly notification_type:
    | "permission_prompt"
    | "idle_prompt"
    | "auth_success"
    | "elicitation_dialog"
    | "elicitation_url_dialog"
    | "elicitation_complete"
    | "elicitation_response"
    | "agent_needs_input"
    | "agent_completed"
    | (string & {});
}

/** It fires when an MCP server asks the user for input, before the user is asked. */
export interface ElicitationInput extends CommonInput {
  readonly hook_event_name: "Elicitation";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The server. */
  readonly mcp_server_name: string;
  /** What it asks. */
  readonly message: string;
  /** A form to fill in, or a page to open. */
  readonly mode?: "form" | "url" | (string & {});
  /** The page to open. */
  readonly url?: string;
  /** Id of the question. */
  readonly elicitation_id?: string;
  /** JSON Schema of the form. */
  readonly requested_schema?: Record<string, unknown>;
}

/** It fires when the user has answered an MCP server's question, before the answer goes back. */
export interface ElicitationResultInput extends CommonInput {
  readonly hook_event_name: "ElicitationResult";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The server. */
  readonly mcp_server_name: string;
  /** What the user chose. */
  readonly action: "accept" | "decline" | "cancel" | (string & {});
  /** The filled-in form. */
  readonly content?: Record<string, unknown>;
  /** A form to fill in, or a page to open. */
  readonly mode?: "form" | "url" | (string & {});
  /** Id of the question. */
  readonly elicitation_id?: string;
}

/** It fires when a settings or skill file has changed during the session. */
export interface ConfigChangeInput extends CommonInput {
  readonly hook_event_name: "ConfigChange";
  /** Which configuration. */
  readonly source: "user_settings" | "project_settings" | "local_settings" | "policy_settings" | "skills" | (string & {});
  /** The file. */
  readonly file_path?: string;
}

/** It fires when the working directory has changed. */
export interface CwdChangedInput extends CommonInput {
  readonly hook_event_name: "CwdChanged";
  /** Where it was. */
  readonly old_cwd: string;
  /** Where it is. */
  readonly new_cwd: string;
}

/** It fires when a directory was added to the workspace. */
export interface DirectoryAddedInput extends CommonInput {
  readonly hook_event_name: "DirectoryAdded";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** The directory. */
  readonly directory: string;
  /** How it was added. */
  readonly source: "slash_command" | "register_repo_root" | (string & {});
}

/** It fires when a watched file was changed, added or removed. */
export interface FileChangedInput extends CommonInput {
  readonly hook_event_name: "FileChanged";
  /** The file. */
  readonly file_path: string;
  /** What happened to it. */
  readonly event: "change" | "add" | "unlink" | (string & {});
}

/** It fires when a worktree is wanted; the hook makes it instead of git. */
export interface WorktreeCreateInput extends CommonInput {
  readonly hook_event_name: "WorktreeCreate";
  /** Name of the worktree. */
  readonly name: string;
}

/** It fires when a worktree is removed. */
export interface WorktreeRemoveInput extends CommonInput {
  readonly hook_event_name: "WorktreeRemove";
  /** The permission mode in force. */
  readonly permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | (string & {});
  /** Path of the worktree. */
  readonly worktree_path: string;
}

/** It fires before the conversation is compacted. */
export interface PreCompactInput extends CommonInput {
  readonly hook_event_name: "PreCompact";
  /** Asked for, or because the window is nearly full. */
  readonly trigger: "manual" | "auto" | (string & {});
  /** What was typed after /compact. */
  readonly custom_instructions: string | null;
}

/** It fires after the conversation was compacted. */
export interface PostCompactInput extends CommonInput {
  readonly hook_event_name: "PostCompact";
  /** Asked for, or because the window is nearly full. */
  readonly trigger: "manual" | "auto" | (string & {});
  /** The summary. */
  readonly compact_summary: string;
}

/** It fires when another model was asked for, before the switch. */
export interface PreModelSwitchInput extends CommonInput {
  readonly hook_event_name: "PreModelSwitch";
  /** The model so far. */
  readonly from_model: string;
  /** The model from now on. */
  readonly to_model: string;
  /** What was asked for, before aliases were resolved. */
  readonly requested_model: string | null;
  /** What switched it; `auto` and `resume` only after the switch. */
  readonly source: "command" | "picker" | "sdk" | "auto" | "resume" | (string & {});
  /** Size of the context that the new model must read. */
  readonly context_tokens: number;
  /** The old model's cache is still warm. */
  readonly prompt_cache_warm: boolean;
  /** How long the cache lives. */
  readonly cache_ttl: "5m" | "1h" | (string & {});
  /** What filling the new model's cache may cost. */
  readonly estimated_cache_write_usd: number;
  /** Where the price comes from. */
  readonly pricing: "configured" | "catalog" | "default" | (string & {});
}

/** It fires after the model has changed, whatever the cause. */
export interface PostModelSwitchInput extends CommonInput {
  readonly hook_event_name: "PostModelSwitch";
  /** The model so far. */
  readonly from_model: string;
  /** The model from now on. */
  readonly to_model: string;
  /** What was asked for, before aliases were resolved. */
  readonly requested_model: string | null;
  /** What switched it; `auto` and `resume` only after the switch. */
  readonly source: "command" | "picker" | "sdk" | "auto" | "resume" | (string & {});
  /** Size of the context that the new model must read. */
  readonly context_tokens: number;
  /** The old model's cache is still warm. */
  readonly prompt_cache_warm: boolean;
  /** How long the cache lives. */
  readonly cache_ttl: "5m" | "1h" | (string & {});
  /** What filling the new model's cache may cost. */
  readonly estimated_cache_write_usd: number;
  /** Where the price comes from. */
  readonly pricing: "configured" | "catalog" | "default" | (string & {});
}

/** It fires when the session ends. */
export interface SessionEndInput extends CommonInput {
  readonly hook_event_name: "SessionEnd";
  /** Why it ends. */
  readonly reason: "clear" | "resume" | "logout" | "prompt_input_exit" | "other" | (string & {});
}

/** Every event's payload, by name. */
export interface EventInputs {
  readonly Setup: SetupInput;
  readonly SessionStart: SessionStartInput;
  readonly InstructionsLoaded: InstructionsLoadedInput;
  readonly UserPromptSubmit: UserPromptSubmitInput;
  readonly UserPromptExpansion: UserPromptExpansionInput;
  readonly PreModelRequest: PreModelRequestInput;
  readonly PostModelResponse: PostModelResponseInput;
  readonly MessageDisplay: MessageDisplayInput;
  readonly PreToolUse: PreToolUseInput;
  readonly PermissionRequest: PermissionRequestInput;
  readonly PermissionDenied: PermissionDeniedInput;
  readonly PostToolUse: PostToolUseInput;
  readonly PostToolUseFailure: PostToolUseFailureInput;
  readonly PostToolBatch: PostToolBatchInput;
  readonly Stop: StopInput;
  readonly SubagentStart: SubagentStartInput;
  readonly SubagentStop: SubagentStopInput;
  readonly StopFailure: StopFailureInput;
  readonly TaskCreated: TaskCreatedInput;
  readonly TaskCompleted: TaskCompletedInput;
  readonly TeammateIdle: TeammateIdleInput;
  readonly Notification: NotificationInput;
  readonly Elicitation: ElicitationInput;
  readonly ElicitationResult: ElicitationResultInput;
  readonly ConfigChange: ConfigChangeInput;
  readonly CwdChanged: CwdChangedInput;
  readonly DirectoryAdded: DirectoryAddedInput;
  readonly FileChanged: FileChangedInput;
  readonly WorktreeCreate: WorktreeCreateInput;
  readonly WorktreeRemove: WorktreeRemoveInput;
  readonly PreCompact: PreCompactInput;
  readonly PostCompact: PostCompactInput;
  readonly PreModelSwitch: PreModelSwitchInput;
  readonly PostModelSwitch: PostModelSwitchInput;
  readonly SessionEnd: SessionEndInput;
}

/** The name of an event. */
export type EventName = keyof EventInputs;

/** What `output({ … })` may set, by event. */
export interface EventOutputs {
  readonly Setup: Record<string, never>;
  readonly SessionStart: {
    /** A first user message, as if it had been typed. */
    readonly initialUserMessage?: string;
    /** New title of the session. */
    readonly sessionTitle?: string;
    /** Files to watch: a change fires FileChanged. */
    readonly watchPaths?: readonly string[];
    /** Read the skills again. */
    readonly reloadSkills?: boolean;
  };
  readonly InstructionsLoaded: Record<string, never>;
  readonly UserPromptSubmit: {
    /** New title of the session. */
    readonly sessionTitle?: string;
    /** On a block: do not show the prompt again to the user. */
    readonly suppressOriginalPrompt?: boolean;
  };
  readonly UserPromptExpansion: {
    /** On a block: do not show the prompt again to the user. */
    readonly suppressOriginalPrompt?: boolean;
  };
  readonly PreModelRequest: {
    /** Merged over `params`: a key set here wins, the others stay. */
    readonly updatedParams?: Record<string, unknown>;
  };
  readonly PostModelResponse: {
    /** Merged over `params`: a key set here wins, the others stay. */
    readonly updatedParams?: Record<string, unknown>;
  };
  readonly MessageDisplay: {
    /** Shown instead; what is stored and what the model sees stay as they are. */
    readonly displayContent?: string;
  };
  readonly PreToolUse: Record<string, never>;
  readonly PermissionRequest: {
    /** Rule changes to apply as well. */
    readonly updatedPermissions?: readonly (
      | {
          /** What to do with the rules. */
          readonly type: "addRules" | "replaceRules" | "removeRules";
          /** The rules. */
          readonly rules: readonly {
            /** The tool. */
            readonly toolName: string;
            /** What stands in the rule's brackets. */
            readonly ruleContent?: string;
          }[];
          /** The list they belong to. */
          readonly behavior: "allow" | "deny" | "ask";
          /** Where the change is kept. */
          readonly destination: "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg";
        }
      | {
          /** Change the mode. */
          readonly type: "setMode";
          /** The new mode. */
          readonly mode: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions";
          /** Where the change is kept. */
          readonly destination: "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg";
        }
      | {
          /** Change the working directories. */
          readonly type: "addDirectories" | "removeDirectories";
          /** The directories. */
          readonly directories: readonly string[];
          /** Where the change is kept. */
          readonly destination: "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg";
        }
    )[];
    /** Also end the turn. */
    readonly interrupt?: boolean;
  };
  readonly PermissionDenied: {
    /** Tell the model that it may try the call again. */
    readonly retry?: boolean;
  };
  readonly PostToolUse: {
    /** Text for the permission classifier, at most 2,000 characters in all. */
    readonly classifierContext?: string;
  };
  readonly PostToolUseFailure: Record<string, never>;
  readonly PostToolBatch: Record<string, never>;
  readonly Stop: Record<string, never>;
  readonly SubagentStart: Record<string, never>;
  readonly SubagentStop: Record<string, never>;
  readonly StopFailure: Record<string, never>;
  readonly TaskCreated: Record<string, never>;
  readonly TaskCompleted: Record<string, never>;
  readonly TeammateIdle: Record<string, never>;
  readonly Notification: Record<string, never>;
  readonly Elicitation: {
    /** The answer. */
    readonly action?: "accept" | "decline" | "cancel";
    /** The filled-in form, with `accept`. */
    readonly content?: Record<string, unknown>;
  };
  readonly ElicitationResult: {
    /** The answer. */
    readonly action?: "accept" | "decline" | "cancel";
    /** The filled-in form, with `accept`. */
    readonly content?: Record<string, unknown>;
  };
  readonly ConfigChange: Record<string, never>;
  readonly CwdChanged: {
    /** Replaces the list of watched files; a change fires FileChanged. */
    readonly watchPaths?: readonly string[];
  };
  readonly DirectoryAdded: Record<string, never>;
  readonly FileChanged: {
    /** Replaces the list of watched files; a change fires FileChanged. */
    readonly watchPaths?: readonly string[];
  };
  readonly WorktreeCreate: {
    /** Path of the worktree that was made. A command hook prints it as its last line instead. */
    readonly worktreePath?: string;
  };
  readonly WorktreeRemove: Record<string, never>;
  readonly PreCompact: Record<string, never>;
  readonly PostCompact: Record<string, never>;
  readonly PreModelSwitch: Record<string, never>;
  readonly PostModelSwitch: Record<string, never>;
  readonly SessionEnd: Record<string, never>;
}

/** What a hook of each event can say. */
export interface EventAbilities {
  readonly Setup: "context" | "stop" | "tellUser";
  readonly SessionStart: "context" | "stop" | "tellUser" | "output";
  readonly InstructionsLoaded: never;
  readonly UserPromptSubmit: "block" | "context" | "rewritePrompt" | "stop" | "tellUser" | "output";
  readonly UserPromptExpansion: "block" | "context" | "stop" | "tellUser" | "output";
  readonly PreModelRequest: "block" | "context" | "stop" | "tellUser" | "output";
  readonly PostModelResponse: "block" | "context" | "stop" | "tellUser" | "output";
  readonly MessageDisplay: "output";
  readonly PreToolUse: "allow" | "deny" | "ask" | "defer" | "block" | "rewrite" | "context" | "stop" | "tellUser";
  readonly PermissionRequest: "allow" | "deny" | "block" | "rewrite" | "stop" | "tellUser" | "output";
  readonly PermissionDenied: "stop" | "tellUser" | "output";
  readonly PostToolUse: "context" | "feedback" | "replaceOutput" | "stop" | "tellUser" | "output";
  readonly PostToolUseFailure: "context" | "feedback" | "stop" | "tellUser";
  readonly PostToolBatch: "block" | "context" | "stop" | "tellUser";
  readonly Stop: "block" | "context" | "stop" | "tellUser";
  readonly SubagentStart: "context" | "stop" | "tellUser";
  readonly SubagentStop: "block" | "context" | "stop" | "tellUser";
  readonly StopFailure: never;
  readonly TaskCreated: "block";
  readonly TaskCompleted: "block" | "stop" | "tellUser";
  readonly TeammateIdle: "block" | "stop" | "tellUser";
  readonly Notification: "context";
  readonly Elicitation: "block" | "output";
  readonly ElicitationResult: "block" | "output";
  readonly ConfigChange: "block";
  readonly CwdChanged: "output";
  readonly DirectoryAdded: never;
  readonly FileChanged: "output";
  readonly WorktreeCreate: "block" | "output";
  readonly WorktreeRemove: never;
  readonly PreCompact: "block";
  readonly PostCompact: never;
  readonly PreModelSwitch: "allow" | "deny" | "ask" | "block" | "stop" | "tellUser";
  readonly PostModelSwitch: "context" | "stop" | "tellUser";
  readonly SessionEnd: never;
}
