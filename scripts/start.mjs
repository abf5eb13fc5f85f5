#!/usr/bin/env node
// What `npm start` shows: the demonstration, offline; on a terminal it then offers the conversation in the same folder, with the same hooks.
import { spawnSync } from "node:child_process";
import { buildIfStale } from "./build-if-stale.mjs";

buildIfStale();
const { status } = spawnSync(process.execPath, ["packages/hookloop/bin/hookloop.js", "demo"], { stdio: "inherit" });
process.exitCode = status ?? 1;
