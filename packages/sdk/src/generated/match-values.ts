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

/** Tools of which only the name is known. */
export const MORE_TOOLS =
  "BashOutput KillShell KillBash LS LSP NotebookRead TodoRead PowerShell REPL Monitor Workflow SlashCommand StructuredOutput EnterPlanMode EnterWorktree ExitWorktree TaskGet TaskOutput TaskStop AgentOutputTool TeamCreate TeamDelete Teammate SendMessage SendUserMessage SendUserFile PushNotification CronCreate CronDelete CronList ScheduleWakeup RemoteTrigger ToolSearch ListMcpResourcesTool ReadMcpResourceTool";

/** What other agents call a known tool, in small letters and without what joins words. */
export const TOOLS_ELSEWHERE: Readonly<Record<string, string>> = {
  Bash: "shell runshell runshellcommand shellcommand shellexec executeshell execute executecommand execcommand exec runcommand runterminalcmd runterminalcommand runinterminal terminal executebash runbash bashtool localshell console sh zsh shelltool cmd command",
  Read: "readfile viewfile openfile fileread view catfile cat open",
  Write: "writefile createfile savefile filewrite writetofile create save",
  Edit: "editfile fileedit strreplace strreplaceeditor strreplacebasededittool replaceinfile searchreplace applypatch applydiff modifyfile replace patch modify",
  Grep: "grepsearch searchfiles ripgrep searchcode rg search",
  Glob: "globsearch findfiles listfiles filesearch",
  WebFetch: "fetch fetchurl urlfetch httpget httprequest browser browse http url",
  WebSearch: "searchweb googlesearch internetsearch",
  Agent: "subagent spawnagent delegate runagent newtask agenttool spawn dispatchagent",
};
