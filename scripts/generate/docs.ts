// Second step of `npm run generate`: the pages, whose samples are the SDK's own answers.
import { eventsPage } from "./events-page.ts";
import { sourcesPage } from "./sources-page.ts";
import { writeFiles } from "./write-files.ts";

writeFiles({ "docs/reference/events.md": await eventsPage(), "docs/sources.md": sourcesPage() });
