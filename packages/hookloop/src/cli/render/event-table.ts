import type { EventName } from "@hookloop/sdk";
import { EVENT_NAMES, EVENTS } from "../../catalogue/index.ts";
import { table } from "./table.ts";

interface Column {
  readonly heading: string;
  /** Shown only if the terminal has this many columns: when the event fires matters most. */
  readonly from: number;
  readonly cell: (name: EventName) => string;
}

const COLUMNS: readonly Column[] = [
  { heading: "EVENT", from: 0, cell: (name) => name },
  { heading: "ROLE", from: 120, cell: (name) => EVENTS[name].role },
  { heading: "BLOCKS", from: 80, cell: (name) => (EVENTS[name].block ? "yes" : "no") },
  { heading: "MATCHED BY", from: 120, cell: (name) => EVENTS[name].matcher?.field ?? "-" },
  { heading: "FIRES", from: 0, cell: (name) => `${EVENTS[name].origin === "hookloop" ? "(hookloop only) " : ""}${EVENTS[name].fires}` },
];

/** All events, one line each. */
export function eventTable(width: number): string {
  const columns = COLUMNS.filter(({ from }) => width >= from);
  const rows = EVENT_NAMES.map((name) => columns.map(({ cell }) => cell(name)));
  return table({ heading: columns.map(({ heading }) => heading), rows, columns: width, title: 0 });
}
