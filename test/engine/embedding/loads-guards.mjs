// A hook script whose hooks are in another file, loaded in the way its argument says.
import { createRequire } from "node:module";

if (process.argv[2] === "require()") createRequire(import.meta.url)("./definition.mjs");
else await import("./definition.mjs");
