// Writes every JSON Schema into the built package, where editors can be pointed at it.
import { mkdirSync, writeFileSync } from "node:fs";
import { EVENT_NAMES } from "../packages/hookloop/src/catalogue/events.ts";
import { eventJsonSchema, fileJsonSchema, SETTINGS_FILES } from "../packages/hookloop/src/catalogue/schemas.ts";

const FOLDER = "packages/hookloop/dist/schemas";

mkdirSync(`${FOLDER}/events`, { recursive: true });
const write = (name: string, schema: unknown): void => writeFileSync(`${FOLDER}/${name}.json`, `${JSON.stringify(schema, null, 2)}\n`);
for (const file of Object.keys(SETTINGS_FILES) as (keyof typeof SETTINGS_FILES)[]) write(file, fileJsonSchema(file));
for (const event of EVENT_NAMES) {
  write(`events/${event}.input`, eventJsonSchema(event, "input"));
  write(`events/${event}.output`, eventJsonSchema(event, "output"));
}
