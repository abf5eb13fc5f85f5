import path from "node:path";
import { nearestName } from "../../diagnostic.ts";
import { sessionName } from "../../trace/index.ts";
import { type EarlierSession, listTranscripts, readTranscript } from "../transcript/read-transcript.ts";
import { CannotStart } from "./cannot-start.ts";

/** The session to go on with. `id`: empty for the latest. */
export function findEarlierSession(folder: string | undefined, id: string): EarlierSession {
  const files = folder === undefined ? [] : listTranscripts(folder);
  const wanted = id === "" ? files[0] : files.find((file) => path.basename(file, ".jsonl") === sessionName(id));
  if (wanted !== undefined) return readTranscript(wanted);
  if (id === "") throw new CannotStart("HL_AGENT_NO_SESSION", "There is no earlier session of this project to continue.");
  const names = files.map((file) => path.basename(file, ".jsonl"));
  const nearest = nearestName(id, names);
  const latest = names.length > 0 ? ` The latest are: ${names.slice(0, 5).join(", ")}.` : " This project has none.";
  throw new CannotStart(
    "HL_AGENT_NO_SESSION",
    `There is no session "${id}" of this project.${nearest ? ` Did you mean ${nearest}?` : ""}${latest}`,
  );
}
