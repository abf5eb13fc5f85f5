/** People get tasks, scripts the simpler todos; `CLAUDE_CODE_ENABLE_TASKS` says otherwise. */
export function wantsTasks(env: Readonly<Record<string, string | undefined>>, isInteractive: boolean): boolean {
  const given = env["CLAUDE_CODE_ENABLE_TASKS"]?.trim().toLowerCase();
  if (given === undefined || given === "") return isInteractive;
  return !["0", "false", "no", "off"].includes(given);
}
