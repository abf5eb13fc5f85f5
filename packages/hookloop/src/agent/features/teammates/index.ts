export { openTeam } from "./open-team.ts";
