// A hook script that imports its hooks, and has an engine besides.
import { openHooks } from "hookloop";
import "./definition.mjs";

await openHooks({ cwd: process.cwd(), trust: "implicit" });
