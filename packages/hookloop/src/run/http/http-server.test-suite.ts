import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterThisFile } from "../../../../../test/cleanup.ts";
import type { RegisteredHook } from "../../config/registered-hook.ts";
import { createDialects } from "../../dialects/index.ts";
import type { AdmittedHook } from "../../trust/types.ts";
import { sampleHook } from "../sample-hook.test-suite.ts";
import type { HttpOptions } from "./http-runner.ts";

export interface Received {
  readonly method: string | undefined;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

export interface TestServer {
  readonly port: number;
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  readonly received: readonly Received[];
  /** How many connections were ever made. */
  connections(): number;
}

type Reply = (response: ServerResponse, request: Received) => void;

/** A real server on loopback that answers by path once it has the whole body; a path without a reply gets 404. */
export async function startServer(replies: Readonly<Record<string, Reply>>): Promise<TestServer> {
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url: path = "/", headers } = request;
      const whole = { method, path, headers, body: Buffer.concat(chunks) };
      received.push(whole);
      const reply = replies[path];
      if (reply) reply(response, whole);
      else response.writeHead(404).end();
    });
  });
  return listen(server, received);
}

/** Counts and destroys open sockets: hooks that hang must not keep a test run alive. */
export async function listen(server: http.Server, received: readonly Received[] = []): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let count = 0;
  server.on("connection", (socket: Socket) => {
    count++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterThisFile(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return { port, origin: `http://127.0.0.1:${port}`, received, connections: () => count };
}

/** An http hook of user scope and the Claude dialect, unless told otherwise. */
export function httpHook(url: string, fields: Record<string, unknown> = {}, overrides: Partial<RegisteredHook> = {}): AdmittedHook {
  const hook = sampleHook({ target: { kind: "http", fields: { url, ...fields } }, timeoutMs: 5000, ...overrides });
  return { ...hook, quirks: createDialects().of(hook.source.dialect).quirks };
}

export const NATIVE = { scope: "user", dialect: "native", root: "/" } as const;

/** No list is set anywhere. */
export const ANYTHING: HttpOptions["policy"] = { refusalOf: () => undefined, mayUse: () => true, takenAway: () => undefined };

export const OPEN: HttpOptions = { environment: {}, version: "0.0.0", policy: ANYTHING, allowLoopback: () => true };
