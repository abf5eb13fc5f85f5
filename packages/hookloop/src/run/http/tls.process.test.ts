import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { sampleInput } from "../sample-hook.test-suite.ts";
import { createHttpRunner } from "./http-runner.ts";
import { httpHook, listen, OPEN, startServer } from "./http-server.test-suite.ts";

afterEach(() => vi.unstubAllEnvs());

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate for localhost that only itself signs. */
function selfSigned(): Certificate {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-tls-"));
  const [key, cert] = [path.join(folder, "key.pem"), path.join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const made = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  rmSync(folder, { recursive: true });
  return made;
}

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    // Not on this machine: the tests say that they were skipped.
    return false;
  }
}

describe.skipIf(!hasOpenssl())("TLS (needs openssl)", () => {
  let certificate: Certificate;
  let port = 0;
  let asked = 0;
  beforeAll(async () => {
    certificate = selfSigned();
    const server = https.createServer(certificate, (_request, response) => {
      asked++;
      response.end("{}");
    });
    ({ port } = await listen(server as unknown as Parameters<typeof listen>[0]));
  });
  const ask = (url: string, ca?: string): ReturnType<ReturnType<typeof createHttpRunner>> =>
    createHttpRunner({ ...OPEN, ca })({ hook: httpHook(url) }, sampleInput());

  test("a certificate that no authority signed is a failure, and nothing is sent", async () => {
    const { failure } = await ask(`https://localhost:${port}/`);
    expect(failure).toEqual({ kind: "unreachable", text: expect.stringContaining("self-signed") });
    expect(asked).toBe(0);
  });

  test("NODE_TLS_REJECT_UNAUTHORIZED does not change that", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    expect((await ask(`https://localhost:${port}/`)).failure?.kind).toBe("unreachable");
    expect(asked).toBe(0);
  });

  test("a certificate for another name is a failure", async () => {
    expect((await ask(`https://127.0.0.1:${port}/`, certificate.cert)).failure).toEqual({
      kind: "unreachable",
      text: expect.stringContaining("127.0.0.1"),
    });
    expect(asked).toBe(0);
  });

  test("a server that speaks no TLS is a failure", async () => {
    const plain = await startServer({ "/": (response) => response.end("{}") });
    expect((await ask(`https://localhost:${plain.port}/`)).failure?.kind).toBe("unreachable");
  });

  test("with the right authority the hook is asked", async () => {
    expect(await ask(`https://localhost:${port}/`, certificate.cert)).toMatchObject({ httpStatus: 200, stdout: "{}", failure: undefined });
    expect(asked).toBe(1);
  });
});

test("a proxy of the environment is not used", async () => {
  const proxy = await startServer({ "/": (response) => response.end("proxy") });
  const server = await startServer({ "/": (response) => response.end("server") });
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]) {
    vi.stubEnv(name, proxy.origin);
    vi.stubEnv(name.toLowerCase(), proxy.origin);
  }
  vi.stubEnv("NO_PROXY", "");
  vi.stubEnv("NODE_USE_ENV_PROXY", "1");
  const outcome = await createHttpRunner({ ...OPEN, environment: { HTTP_PROXY: proxy.origin } })(
    { hook: httpHook(server.origin) },
    sampleInput(),
  );
  expect(outcome.stdout).toBe("server");
  expect(proxy.connections()).toBe(0);
});
