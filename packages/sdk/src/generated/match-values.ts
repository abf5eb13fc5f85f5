// Made from the event catalogue by `npm run generate`. Do not edit.

/** Per event: the values that the field it is matched by is known to take. */
export const MATCH_VALUES: Readonly<Record<string, string>> = {
  Setup: "init maintenance",
  SessionStart: "startup resume clear compact fork",
  InstructionsLoaded: "session_start nested_traversal path_glob_match include compact",
  StopFailure:
    "authentication_failed oauth_org_not_allowed account_on_hold verification_required billing_error rate_limit overloaded invalid_request model_not_found server_error unknown max_output_tokens cloud_credential_error",
  Notification:
    "permission_prompt idle_prompt auth_success elicitation_dialog elicitation_url_dialog elicitation_complete elicitation_response agent_needs_input agent_completed",
  ConfigChange: "user_settings project_settings local_settings policy_settings skills",
  DirectoryAdded: "slash_command register_repo_root",
  PreCompact: "manual auto",
  PostCompact: "manual auto",
  SessionEnd: "clear resume logout prompt_input_exit other",
};

/** Fields that a payload of any event may have. */
export const COMMON_FIELDS =
  "hook_event_name session_id transcript_path cwd prompt_id agent_id agent_type x_native x_kind permission_mode effort";

/** Per event: the other fields that its payload may have. */
export const EVENT_FIELDS: Readonly<Record<string, string>> = {
  Setup: "trigger",
  SessionStart:
    "source model session_title seconds_since_last_response context_tokens prompt_cache_likely_expired estimated_cache_write_usd",
  InstructionsLoaded: "file_path memory_type load_reason globs trigger_file_path parent_file_path",
  UserPromptSubmit: "prompt source session_title",
  UserPromptExpansion: "expansion_type command_name command_args command_source prompt",
  PreModelRequest: "model messages tools params",
  PostModelResponse: "model messages tools params content stop_reason usage",
  MessageDisplay: "turn_id message_id index final delta",
  PreToolUse: "tool_name tool_input tool_use_id mcp_server",
  PermissionRequest: "tool_name tool_input permission_suggestions mcp_server",
  PermissionDenied: "tool_name tool_input tool_use_id reason mcp_server",
  PostToolUse: "tool_name tool_input tool_use_id tool_response duration_ms mcp_server",
  PostToolUseFailure: "tool_name tool_input tool_use_id error is_interrupt duration_ms mcp_server",
  PostToolBatch: "tool_calls",
  Stop: "stop_hook_active last_assistant_message background_tasks session_crons",
  SubagentStart: "agent_id agent_type",
  SubagentStop: "stop_hook_active last_assistant_message background_tasks session_crons agent_id agent_type agent_transcript_path",
  StopFailure: "error error_details last_assistant_message",
  TaskCreated: "task_id task_subject task_description teammate_name team_name",
  TaskCompleted: "task_id task_subject task_description teammate_name team_name",
  TeammateIdle: "teammate_name team_name",
  Notification: "message title notification_type",
  Elicitation: "mcp_server_name message mode url elicitation_id requested_schema",
  ElicitationResult: "mcp_server_name action content mode elicitation_id",
  ConfigChange: "source file_path",
  CwdChanged: "old_cwd new_cwd",
  DirectoryAdded: "directory source",
  FileChanged: "file_path event",
  WorktreeCreate: "name",
  WorktreeRemove: "worktree_path",
  PreCompact: "trigger custom_instructions",
  PostCompact: "trigger compact_summary",
  PreModelSwitch: "from_model to_model requested_model source context_tokens prompt_cache_warm cache_ttl estimated_cache_write_usd pricing",
  PostModelSwitch:
    "from_model to_model requested_model source context_tokens prompt_cache_warm cache_ttl estimated_cache_write_usd pricing",
  SessionEnd: "reason",
};

/** Per known tool: the fields that its input may have. */
export const INPUT_FIELDS: Readonly<Record<string, string>> = {
  Bash: "command description timeout run_in_background",
  Read: "file_path offset limit pages",
  Write: "file_path content",
  Edit: "file_path old_string new_string replace_all",
  MultiEdit: "file_path edits",
  NotebookEdit: "notebook_path new_source cell_id cell_type edit_mode",
  Glob: "pattern path",
  Grep: "pattern path glob type output_mode multiline head_limit",
  WebFetch: "url prompt",
  WebSearch: "query allowed_domains blocked_domains",
  TodoWrite: "todos",
  Agent: "description prompt subagent_type model run_in_background",
  Skill: "skill args",
  ExitPlanMode: "plan",
  AskUserQuestion: "questions",
  TaskCreate: "subject description activeForm",
  TaskUpdate: "taskId status subject description activeForm owner addBlockedBy addBlocks",
  TaskList: "",
};

/** Tools of which only the name is known. */
export const MORE_TOOLS =
  "BashOutput KillShell KillBash LS LSP NotebookRead TodoRead PowerShell REPL Monitor Workflow SlashCommand StructuredOutput EnterPlanMode EnterWorktree ExitWorktree TaskGet TaskOutput TaskStop AgentOutputTool TeamCreate TeamDelete Teammate SendMessage SendUserMessage SendUserFile PushNotification CronCreate CronDelete CronList ScheduleWakeup RemoteTrigger ToolSearch ListMcpResourcesTool ReadMcpResourceTool";

/** What other agents call a known tool, in small letters and without what joins words. */
export const TOOLS_ELSEWHERE: Readonly<Record<string, string>> = {
  Bash: "shell runshell runshellcommand shellcommand shellexec executeshell execute executecommand execcommand exec runcommand runterminalcmd runterminalcommand runinterminal terminal executebash runbash bashtool localshell console sh zsh shelltool cmd command",
  Read: "readfile viewfile openfile fileread view catfile cat open readfiles readmanyfiles readmultiplefiles readtextfile readmediafile getfilecontents getfilecontent getfile showfile loadfile viewimage",
  Write: "writefile createfile savefile filewrite writetofile create save",
  Edit: "editfile fileedit strreplace strreplaceeditor strreplacebasededittool replaceinfile searchreplace applypatch applydiff modifyfile replace patch modify inserteditintofile replacestringinfile multireplacestringinfile inserttext insertcontent texteditor texteditortool deletefile removefile movefile renamefile copyfile editfiles editnotebookfile searchandreplace",
  Grep: "grepsearch searchfiles ripgrep searchcode rg search",
  Glob: "globsearch findfiles listfiles filesearch",
  WebFetch:
    "fetchwebpage fetchpage readurl readurlcontent visiturl openurl webget fetchcontent browseurl fetch fetchurl urlfetch httpget httprequest browser browse http url",
  WebSearch: "searchweb googlesearch internetsearch",
  Agent: "subagent spawnagent delegate runagent newtask agenttool spawn dispatchagent",
};
