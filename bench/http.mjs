import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { pathToFileURL } from "node:url";
import { createHttpRunner } from "../packages/hookloop/dist/run/http/http-runner.js";
import { printGroup } from "./print-group.mjs";

const PAYLOAD = Buffer.from(JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "x".repeat(800) } }));

/** In a process of its own: a server in this one would be measured with the client. */
const SERVER = `const server = require("node:http").createServer((request, response) => {
  request.resume().on("end", () => response.setHeader("content-type", "application/json").end("{}"));
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit());`;

async function startServer() {
  const child = spawn(process.execPath, ["-e", SERVER], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  return { port: Number(port), stop: () => child.stdin.end() };
}

const agent = new http.Agent({ keepAlive: true });

/** The least a program must do to ask a server: payload sent on a kept connection, answer read. */
function bareRequest(port) {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": PAYLOAD.length };
    const request = http.request({ hostname: "127.0.0.1", port, method: "POST", path: "/", agent, headers }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks).toString()));
    });
    request.on("error", reject);
    request.end(PAYLOAD);
  });
}

function hookOf(port, fields = {}) {
  return {
    id: "project:PreToolUse:bench",
    target: { kind: "http", fields: { url: `http://127.0.0.1:${port}/`, ...fields } },
    source: { scope: "user", dialect: "native", root: "/" },
    timeoutMs: 60_000,
  };
}

const quantile = (values, part) => [...values].sort((a, b) => a - b)[Math.floor(values.length * part)];
const WARM_UP = 300;

/** An http hook through the runner, against a bare request on a kept connection to the same server. */
export async function measureHttp(rounds = 3000) {
  const { port, stop } = await startServer();
  const run = createHttpRunner({
    environment: { SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", TOKEN: "sesame" },
    version: "0.0.0",
    policy: { refusalOf: () => undefined, mayUse: () => true },
    allowLoopback: () => true,
  });
  const input = { payload: () => PAYLOAD, input: {}, cwd: "/", projectRoot: "/", sessionId: "bench", env: {} };
  const [plain, signed] = [hookOf(port), hookOf(port, { secretEnv: "SECRET", headers: { a: "$TOKEN" }, allowedEnvVars: ["TOKEN"] })];
  const cases = {
    "bare keep-alive request": () => bareRequest(port),
    "fetch, for scale": async () => (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: PAYLOAD })).text(),
    "http hook": async () => (await run({ hook: plain }, input)).stdout,
    "http hook, signed, with a header": async () => (await run({ hook: signed }, input)).stdout,
  };
  const samples = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const name of Object.keys(cases).sort(() => Math.random() - 0.5)) {
      const startedAt = performance.now();
      const answer = await cases[name]();
      const took = performance.now() - startedAt;
      if (answer !== "{}") throw new Error(`${name} gave ${answer}`);
      if (round >= 0) samples[name].push(took);
    }
  }
  stop();
  const bare = samples["bare keep-alive request"];
  return Object.entries(samples).map(([name, values]) => ({
    name,
    "p50 ms": quantile(values, 0.5).toFixed(3),
    "p10 ms": quantile(values, 0.1).toFixed(3),
    ratio: quantile(
      values.map((value, index) => value / bare[index]),
      0.5,
    ),
    "ratio p10": quantile(values, 0.1) / quantile(bare, 0.1),
    target: name === "http hook" ? "≤ 1.3 ×" : "",
  }));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printGroup("HTTP hooks", await measureHttp());
