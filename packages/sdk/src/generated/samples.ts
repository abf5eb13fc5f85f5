// Made from the event catalogue by `npm run generate`. Do not edit.
import type { EventInputs, EventName } from "./events.ts";

/** Events whose plain stdout goes to the model. */
export const PLAIN_STDOUT_IS_CONTEXT: readonly EventName[] = ["SessionStart", "UserPromptSubmit", "UserPromptExpansion"];

/** What a value may be: types by name, the fields of an object, or what stands in a list. */
export type Shape = string | Fields | readonly [Shape];

export type Fields = { readonly [field: string]: Shape };

/** The fields that a payload of any event may have. */
export const COMMON_SHAPE: Fields = {
  hook_event_name: "string",
  session_id: "string",
  transcript_path: "string",
  cwd: "string",
  prompt_id: "string",
  agent_id: "string",
  agent_type: "string",
  x_native: "object",
  x_kind: "string",
};

/** The others that each event's payload may have. */
export const EVENT_SHAPES: Readonly<Record<EventName, Fields>> = {
  Setup: {
    trigger: "string",
  },
  SessionStart: {
    source: "string",
    model: "string",
    session_title: "string",
    seconds_since_last_response: "number",
    context_tokens: "number",
    prompt_cache_likely_expired: "boolean",
    estimated_cache_write_usd: "number",
  },
  InstructionsLoaded: {
    file_path: "string",
    memory_type: "string",
    load_reason: "string",
    globs: ["string"],
    trigger_file_path: "string",
    parent_file_path: "string",
  },
  UserPromptSubmit: {
    permission_mode: "string",
    prompt: "string",
    source: "string",
    session_title: "string",
  },
  UserPromptExpansion: {
    permission_mode: "string",
    expansion_type: "string",
    command_name: "string",
    command_args: "string",
    command_source: "string",
    prompt: "string",
  },
  PreModelRequest: {
    permission_mode: "string",
    model: "string",
    messages: ["object"],
    tools: ["object"],
    params: "object",
  },
  PostModelResponse: {
    permission_mode: "string",
    model: "string",
    messages: ["object"],
    tools: ["object"],
    params: "object",
    content: ["object"],
    stop_reason: "string or null",
    usage: "object",
  },
  MessageDisplay: {
    turn_id: "string",
    message_id: "string",
    index: "number",
    final: "boolean",
    delta: "string",
  },
  PreToolUse: {
    permission_mode: "string",
    effort: {
      level: "string",
    },
    tool_name: "string",
    tool_input: "object",
    tool_use_id: "string",
    mcp_server: {
      name: "string",
      source: "string",
    },
  },
  PermissionRequest: {
    permission_mode: "string",
    effort: {
      level: "string",
    },
    tool_name: "string",
    tool_input: "object",
    permission_suggestions: [
      {
        type: "string",
        rules: [
          {
            toolName: "string",
            ruleContent: "string",
          },
        ],
        behavior: "string",
        destination: "string",
        mode: "string",
        directories: ["string"],
      },
    ],
    mcp_server: {
      name: "string",
      source: "string",
    },
  },
  PermissionDenied: {
    permission_mode: "string",
    tool_name: "string",
    tool_input: "object",
    tool_use_id: "string",
    reason: "string",
    mcp_server: {
      name: "string",
      source: "string",
    },
  },
  PostToolUse: {
    permission_mode: "string",
    effort: {
      level: "string",
    },
    tool_name: "string",
    tool_input: "object",
    tool_use_id: "string",
    tool_response: "any",
    duration_ms: "number",
    mcp_server: {
      name: "string",
      source: "string",
    },
  },
  PostToolUseFailure: {
    permission_mode: "string",
    effort: {
      level: "string",
    },
    tool_name: "string",
    tool_input: "object",
    tool_use_id: "string",
    error: "string",
    is_interrupt: "boolean",
    duration_ms: "number",
    mcp_server: {
      name: "string",
      source: "string",
    },
  },
  PostToolBatch: {
    permission_mode: "string",
    effort: {
      level: "string",
    },
    tool_calls: [
      {
        tool_name: "string",
        tool_input: "object",
        tool_use_id: "string",
        tool_response: "string",
      },
    ],
  },
  Stop: {
    permission_mode: "string",
    effort: {
      level: "string",
    },
    stop_hook_active: "boolean",
    last_assistant_message: "string",
    background_tasks: [
      {
        id: "string",
        type: "string",
        status: "string",
        description: "string",
        command: "string",
        agent_type: "string",
        server: "string",
        tool: "string",
        name: "string",
      },
    ],
    session_crons: [
      {
        id: "string",
        schedule: "string",
        recurring: "boolean",
        prompt: "string",
      },
    ],
  },
  SubagentStart: {
    agent_id: "string",
    agent_type: "string",
  },
  SubagentStop: {
    agent_id: "string",
    agent_type: "string",
    permission_mode: "string",
    effort: {
      level: "string",
    },
    stop_hook_active: "boolean",
    last_assistant_message: "string",
    background_tasks: [
      {
        id: "string",
        type: "string",
        status: "string",
        description: "string",
        command: "string",
        agent_type: "string",
        server: "string",
        tool: "string",
        name: "string",
      },
    ],
    session_crons: [
      {
        id: "string",
        schedule: "string",
        recurring: "boolean",
        prompt: "string",
      },
    ],
    agent_transcript_path: "string",
  },
  StopFailure: {
    error: "string",
    error_details: "string",
    last_assistant_message: "string",
  },
  TaskCreated: {
    permission_mode: "string",
    task_id: "string",
    task_subject: "string",
    task_description: "string",
    teammate_name: "string",
    team_name: "string",
  },
  TaskCompleted: {
    permission_mode: "string",
    task_id: "string",
    task_subject: "string",
    task_description: "string",
    teammate_name: "string",
    team_name: "string",
  },
  TeammateIdle: {
    permission_mode: "string",
    teammate_name: "string",
    team_name: "string",
  },
  Notification: {
    permission_mode: "string",
    message: "string",
    title: "string",
    notification_type: "string",
  },
  Elicitation: {
    permission_mode: "string",
    mcp_server_name: "string",
    message: "string",
    mode: "string",
    url: "string",
    elicitation_id: "string",
    requested_schema: "object",
  },
  ElicitationResult: {
    permission_mode: "string",
    mcp_server_name: "string",
    action: "string",
    content: "object",
    mode: "string",
    elicitation_id: "string",
  },
  ConfigChange: {
    source: "string",
    file_path: "string",
  },
  CwdChanged: {
    old_cwd: "string",
    new_cwd: "string",
  },
  DirectoryAdded: {
    permission_mode: "string",
    directory: "string",
    source: "string",
  },
  FileChanged: {
    file_path: "string",
    event: "string",
  },
  WorktreeCreate: {
    name: "string",
  },
  WorktreeRemove: {
    permission_mode: "string",
    worktree_path: "string",
  },
  PreCompact: {
    trigger: "string",
    custom_instructions: "string or null",
  },
  PostCompact: {
    trigger: "string",
    compact_summary: "string",
  },
  PreModelSwitch: {
    from_model: "string",
    to_model: "string",
    requested_model: "string or null",
    source: "string",
    context_tokens: "number",
    prompt_cache_warm: "boolean",
    cache_ttl: "string",
    estimated_cache_write_usd: "number",
    pricing: "string",
  },
  PostModelSwitch: {
    from_model: "string",
    to_model: "string",
    requested_model: "string or null",
    source: "string",
    context_tokens: "number",
    prompt_cache_warm: "boolean",
    cache_ttl: "string",
    estimated_cache_write_usd: "number",
    pricing: "string",
  },
  SessionEnd: {
    reason: "string",
  },
};

export const SAMPLES: EventInputs = {
  Setup: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "Setup",
    trigger: "init",
  },
  SessionStart: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "SessionStart",
    source: "startup",
    model: "claude-opus-5-5",
  },
  InstructionsLoaded: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "InstructionsLoaded",
    file_path: "/home/user/project/CLAUDE.md",
    memory_type: "Project",
    load_reason: "session_start",
  },
  UserPromptSubmit: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    hook_event_name: "UserPromptSubmit",
    prompt: "Fix the failing test in src/parser.test.ts",
  },
  UserPromptExpansion: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    hook_event_name: "UserPromptExpansion",
    expansion_type: "slash_command",
    command_name: "review",
    command_args: "src",
    command_source: "projectSettings",
    prompt: "/review src",
  },
  PreModelRequest: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    hook_event_name: "PreModelRequest",
    model: "claude-opus-5-5",
    messages: [
      {
        role: "user",
        content: "Fix the failing test",
      },
    ],
    tools: [
      {
        name: "Bash",
        description: "Runs a shell command",
      },
    ],
    params: {
      max_tokens: 8192,
    },
  },
  PostModelResponse: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    hook_event_name: "PostModelResponse",
    model: "claude-opus-5-5",
    messages: [
      {
        role: "user",
        content: "Fix the failing test",
      },
    ],
    tools: [
      {
        name: "Bash",
        description: "Runs a shell command",
      },
    ],
    params: {
      max_tokens: 8192,
    },
    content: [
      {
        type: "text",
        text: "I will run the tests first.",
      },
    ],
    stop_reason: "end_turn",
    usage: {
      input_tokens: 812,
      output_tokens: 64,
    },
  },
  MessageDisplay: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "MessageDisplay",
    turn_id: "turn_1",
    message_id: "msg_01XyQ",
    index: 0,
    final: true,
    delta: "All tests pass now.",
  },
  PreToolUse: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    effort: {
      level: "high",
    },
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: {
      command: "npm test",
      description: "Run the tests",
    },
    tool_use_id: "toolu_01A7mHcQ2Yx5",
  },
  PermissionRequest: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    effort: {
      level: "high",
    },
    hook_event_name: "PermissionRequest",
    tool_name: "Bash",
    tool_input: {
      command: "npm test",
      description: "Run the tests",
    },
    permission_suggestions: [
      {
        type: "addRules",
        rules: [
          {
            toolName: "Bash",
            ruleContent: "npm test",
          },
        ],
        behavior: "allow",
        destination: "localSettings",
      },
    ],
  },
  PermissionDenied: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    hook_event_name: "PermissionDenied",
    tool_name: "Bash",
    tool_input: {
      command: "npm test",
      description: "Run the tests",
    },
    tool_use_id: "toolu_01A7mHcQ2Yx5",
    reason: "Deletes files outside the workspace",
  },
  PostToolUse: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    effort: {
      level: "high",
    },
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: {
      command: "npm test",
      description: "Run the tests",
    },
    tool_use_id: "toolu_01A7mHcQ2Yx5",
    tool_response: {
      stdout: "12 passing",
      stderr: "",
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    },
    duration_ms: 1840,
  },
  PostToolUseFailure: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    effort: {
      level: "high",
    },
    hook_event_name: "PostToolUseFailure",
    tool_name: "Bash",
    tool_input: {
      command: "npm test",
      description: "Run the tests",
    },
    tool_use_id: "toolu_01A7mHcQ2Yx5",
    error: "Exit code 1\n2 failing",
    is_interrupt: false,
    duration_ms: 2210,
  },
  PostToolBatch: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    effort: {
      level: "high",
    },
    hook_event_name: "PostToolBatch",
    tool_calls: [
      {
        tool_name: "Bash",
        tool_input: {
          command: "npm test",
          description: "Run the tests",
        },
        tool_use_id: "toolu_01A7mHcQ2Yx5",
        tool_response: "12 passing",
      },
    ],
  },
  Stop: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    effort: {
      level: "high",
    },
    hook_event_name: "Stop",
    stop_hook_active: false,
    last_assistant_message: "All tests pass now.",
    background_tasks: [],
    session_crons: [],
  },
  SubagentStart: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "SubagentStart",
    agent_id: "a4d2c8f1e0b3a297",
    agent_type: "general-purpose",
  },
  SubagentStop: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    effort: {
      level: "high",
    },
    hook_event_name: "SubagentStop",
    agent_id: "a4d2c8f1e0b3a297",
    agent_type: "general-purpose",
    stop_hook_active: false,
    last_assistant_message: "Found three callers.",
    agent_transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f/subagents/agent-a4d2c8f1e0b3a297.jsonl",
  },
  StopFailure: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "StopFailure",
    error: "rate_limit",
    last_assistant_message: "API Error: rate limit reached",
  },
  TaskCreated: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    hook_event_name: "TaskCreated",
    task_id: "3",
    task_subject: "Write the parser's tests",
    task_description: "Cover empty and nested input",
    teammate_name: "tester",
  },
  TaskCompleted: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    hook_event_name: "TaskCompleted",
    task_id: "3",
    task_subject: "Write the parser's tests",
    task_description: "Cover empty and nested input",
    teammate_name: "tester",
  },
  TeammateIdle: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    hook_event_name: "TeammateIdle",
    teammate_name: "tester",
    team_name: "parser",
  },
  Notification: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    hook_event_name: "Notification",
    message: "Claude needs your permission to use Bash",
    notification_type: "permission_prompt",
  },
  Elicitation: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    hook_event_name: "Elicitation",
    mcp_server_name: "github",
    message: "Which repository?",
    mode: "form",
    requested_schema: {
      type: "object",
      properties: {
        repository: {
          type: "string",
        },
      },
    },
  },
  ElicitationResult: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    hook_event_name: "ElicitationResult",
    mcp_server_name: "github",
    action: "accept",
    content: {
      repository: "hookloop",
    },
    mode: "form",
  },
  ConfigChange: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "ConfigChange",
    source: "project_settings",
    file_path: "/home/user/project/.claude/settings.json",
  },
  CwdChanged: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "CwdChanged",
    old_cwd: "/home/user/project",
    new_cwd: "/home/user/project/packages/core",
  },
  DirectoryAdded: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    hook_event_name: "DirectoryAdded",
    directory: "/home/user/shared",
    source: "slash_command",
  },
  FileChanged: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "FileChanged",
    file_path: "/home/user/project/.env",
    event: "change",
  },
  WorktreeCreate: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "WorktreeCreate",
    name: "fix-parser",
  },
  WorktreeRemove: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    prompt_id: "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77",
    permission_mode: "default",
    hook_event_name: "WorktreeRemove",
    worktree_path: "/home/user/project/.worktrees/fix-parser",
  },
  PreCompact: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "PreCompact",
    trigger: "manual",
    custom_instructions: "Keep the open questions",
  },
  PostCompact: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "PostCompact",
    trigger: "auto",
    compact_summary: "The parser's tests were fixed; two questions are open.",
  },
  PreModelSwitch: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "PreModelSwitch",
    from_model: "claude-opus-5-5",
    to_model: "claude-sonnet-4-5",
    requested_model: "sonnet",
    source: "command",
    context_tokens: 48213,
    prompt_cache_warm: true,
    cache_ttl: "5m",
    estimated_cache_write_usd: 0.18,
    pricing: "catalog",
  },
  PostModelSwitch: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "PostModelSwitch",
    from_model: "claude-opus-5-5",
    to_model: "claude-sonnet-4-5",
    requested_model: "sonnet",
    source: "command",
    context_tokens: 48213,
    prompt_cache_warm: true,
    cache_ttl: "5m",
    estimated_cache_write_usd: 0.18,
    pricing: "catalog",
  },
  SessionEnd: {
    session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
    transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
    cwd: "/home/user/project",
    hook_event_name: "SessionEnd",
    reason: "prompt_input_exit",
  },
};

/** True inputs and responses of the known tools. */
export const TOOL_SAMPLES: Readonly<Record<string, { readonly tool_input: object; readonly tool_response: object }>> = {
  Bash: {
    tool_input: {
      command: "npm test",
      description: "Run the tests",
    },
    tool_response: {
      stdout: "12 passing",
      stderr: "",
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    },
  },
  Read: {
    tool_input: {
      file_path: "/home/user/project/src/parser.ts",
    },
    tool_response: {
      type: "text",
      file: {
        filePath: "/home/user/project/src/parser.ts",
        content: "let depth = 0;\n",
        numLines: 2,
        startLine: 1,
        totalLines: 2,
      },
    },
  },
  Write: {
    tool_input: {
      file_path: "/home/user/project/notes.md",
      content: "# Notes\n",
    },
    tool_response: {
      type: "create",
      filePath: "/home/user/project/notes.md",
      content: "# Notes\n",
      structuredPatch: [],
      originalFile: null,
      userModified: false,
    },
  },
  Edit: {
    tool_input: {
      file_path: "/home/user/project/src/parser.ts",
      old_string: "let depth",
      new_string: "const depth",
      replace_all: false,
    },
    tool_response: {
      filePath: "/home/user/project/src/parser.ts",
      oldString: "let depth",
      newString: "const depth",
      originalFile: "let depth = 0;\n",
      structuredPatch: [
        {
          oldStart: 1,
          oldLines: 1,
          newStart: 1,
          newLines: 1,
          lines: ["-let depth = 0;", "+const depth = 0;"],
        },
      ],
      userModified: false,
      replaceAll: false,
    },
  },
  MultiEdit: {
    tool_input: {
      file_path: "/home/user/project/src/parser.ts",
      edits: [
        {
          old_string: "let depth",
          new_string: "const depth",
        },
      ],
    },
    tool_response: {},
  },
  NotebookEdit: {
    tool_input: {
      notebook_path: "/home/user/project/report.ipynb",
      new_source: "print(1)",
      cell_id: "a1",
      edit_mode: "replace",
    },
    tool_response: {},
  },
  Glob: {
    tool_input: {
      pattern: "src/**/*.ts",
    },
    tool_response: {
      filenames: ["/home/user/project/src/parser.ts"],
      durationMs: 12,
      numFiles: 1,
      truncated: false,
    },
  },
  Grep: {
    tool_input: {
      pattern: "TODO",
      path: "src",
      output_mode: "content",
    },
    tool_response: {
      mode: "content",
      numFiles: 1,
      filenames: ["/home/user/project/src/parser.ts"],
      content: "src/parser.ts:1:// TODO",
    },
  },
  WebFetch: {
    tool_input: {
      url: "https://example.com/changelog",
      prompt: "What changed in the last release?",
    },
    tool_response: {},
  },
  WebSearch: {
    tool_input: {
      query: "node child_process detached",
    },
    tool_response: {},
  },
  TodoWrite: {
    tool_input: {
      todos: [
        {
          content: "Fix the parser",
          status: "in_progress",
          activeForm: "Fixing the parser",
        },
      ],
    },
    tool_response: {},
  },
  Agent: {
    tool_input: {
      description: "Find callers",
      prompt: "Find every caller of parse()",
      subagent_type: "general-purpose",
    },
    tool_response: {},
  },
  Skill: {
    tool_input: {
      skill: "release-notes",
      args: "1.4.0",
    },
    tool_response: {},
  },
  ExitPlanMode: {
    tool_input: {
      plan: "1. Write the failing test\n2. Fix the parser",
    },
    tool_response: {},
  },
  AskUserQuestion: {
    tool_input: {
      questions: [
        {
          question: "Which parser?",
          header: "Parser",
          options: [
            {
              label: "old",
              description: "Keep it",
            },
          ],
        },
      ],
    },
    tool_response: {},
  },
  TaskCreate: {
    tool_input: {
      subject: "Write the parser's tests",
      description: "Cover empty and nested input",
    },
    tool_response: {},
  },
  TaskUpdate: {
    tool_input: {
      taskId: "3",
      status: "completed",
    },
    tool_response: {},
  },
  TaskList: {
    tool_input: {},
    tool_response: {},
  },
};

/** Per known tool: the fields that its input and its response may have. Responses that were never measured are left out. */
export const TOOL_SHAPES: Readonly<Record<string, Readonly<Record<string, Fields>>>> = {
  Bash: {
    tool_input: {
      command: "string",
      description: "string",
      timeout: "number",
      run_in_background: "boolean",
    },
    tool_response: {
      stdout: "string",
      stderr: "string",
      interrupted: "boolean",
      isImage: "boolean",
      noOutputExpected: "boolean",
      returnCodeInterpretation: "string",
      backgroundTaskId: "string",
    },
  },
  Read: {
    tool_input: {
      file_path: "string",
      offset: "number",
      limit: "number",
      pages: "string",
    },
    tool_response: {
      type: "string",
      file: {
        filePath: "string",
        content: "string",
        numLines: "number",
        startLine: "number",
        totalLines: "number",
      },
    },
  },
  Write: {
    tool_input: {
      file_path: "string",
      content: "string",
    },
    tool_response: {
      type: "string",
      filePath: "string",
      content: "string",
      structuredPatch: ["any"],
      originalFile: "string or null",
      userModified: "boolean",
    },
  },
  Edit: {
    tool_input: {
      file_path: "string",
      old_string: "string",
      new_string: "string",
      replace_all: "boolean",
    },
    tool_response: {
      filePath: "string",
      oldString: "string",
      newString: "string",
      originalFile: "string or null",
      structuredPatch: ["any"],
      userModified: "boolean",
      replaceAll: "boolean",
    },
  },
  MultiEdit: {
    tool_input: {
      file_path: "string",
      edits: [
        {
          old_string: "string",
          new_string: "string",
          replace_all: "boolean",
        },
      ],
    },
  },
  NotebookEdit: {
    tool_input: {
      notebook_path: "string",
      new_source: "string",
      cell_id: "string",
      cell_type: "string",
      edit_mode: "string",
    },
  },
  Glob: {
    tool_input: {
      pattern: "string",
      path: "string",
    },
    tool_response: {
      filenames: ["string"],
      durationMs: "number",
      numFiles: "number",
      truncated: "boolean",
    },
  },
  Grep: {
    tool_input: {
      pattern: "string",
      path: "string",
      glob: "string",
      type: "string",
      output_mode: "string",
      multiline: "boolean",
      head_limit: "number",
    },
    tool_response: {
      filenames: ["string"],
      numFiles: "number",
      mode: "string",
      content: "string",
    },
  },
  WebFetch: {
    tool_input: {
      url: "string",
      prompt: "string",
    },
  },
  WebSearch: {
    tool_input: {
      query: "string",
      allowed_domains: ["string"],
      blocked_domains: ["string"],
    },
  },
  TodoWrite: {
    tool_input: {
      todos: [
        {
          content: "string",
          status: "string",
          activeForm: "string",
        },
      ],
    },
  },
  Agent: {
    tool_input: {
      description: "string",
      prompt: "string",
      subagent_type: "string",
      model: "string",
      run_in_background: "boolean",
    },
  },
  Skill: {
    tool_input: {
      skill: "string",
      args: "string",
    },
  },
  ExitPlanMode: {
    tool_input: {
      plan: "string",
    },
  },
  AskUserQuestion: {
    tool_input: {
      questions: "any",
    },
  },
  TaskCreate: {
    tool_input: {
      subject: "string",
      description: "string",
      activeForm: "string",
    },
  },
  TaskUpdate: {
    tool_input: {
      taskId: "string",
      status: "string",
      subject: "string",
      description: "string",
      activeForm: "string",
      owner: "string",
      addBlockedBy: ["string"],
      addBlocks: ["string"],
    },
  },
  TaskList: {
    tool_input: {},
  },
};
