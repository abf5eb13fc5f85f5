import http from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { growth } from "../../growth.test-suite.ts";
import { guardLookup } from "../../run/http/address-rules.ts";
import { createWebFetchTool, textOfHtml } from "./basic-tools.ts";
import { openToolLab } from "./tool-lab.test-suite.ts";

/** Every name is this machine. */
const toLoopback = ((_name: string, options: { all?: boolean }, done: (...results: unknown[]) => void) =>
  options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4)) as unknown as LookupFunction;

async function serve(answer: http.RequestListener): Promise<string> {
  const server = http.createServer(answer);
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://page.example:${(server.address() as AddressInfo).port}/`;
}

const fetched = (url: string, lookup?: LookupFunction): ReturnType<ReturnType<typeof createWebFetchTool>["run"]> =>
  createWebFetchTool({ lookup }).run({ url, prompt: "" }, openToolLab().context());

test("a page is given as text, without its scripts", async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<title>T</title><script>bad()</script><p>one &amp; two</p><p>three</p>");
  });
  const { text, response } = await fetched(url, toLoopback);
  expect(text).toBe("T one & two\nthree");
  expect(response).toMatchObject({ url, code: 200 });
});

test("a redirect is told, not followed", async () => {
  let asked = 0;
  const url = await serve((_, response) => {
    asked++;
    response.writeHead(302, { location: "http://169.254.169.254/latest" }).end();
  });
  const { text } = await fetched(url, toLoopback);
  expect(text).toMatch(/redirects to http:\/\/169\.254\.169\.254\/latest/);
  expect(asked).toBe(1);
});

test("an error status and a page that is too large fail in words", async () => {
  const missing = await serve((_, response) => response.writeHead(404).end("no"));
  await expect(fetched(missing, toLoopback)).rejects.toThrow("The server answered with status 404.");
  const large = await serve((_, response) => response.end("x".repeat(6 * 1024 * 1024)));
  await expect(fetched(large, toLoopback)).rejects.toThrow(/larger than 5242880 bytes/);
});

test.each([
  "http://localhost/",
  "http://a.localhost/",
  "http://127.0.0.1/",
  "http://2130706433/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://10.0.0.1/",
  "http://169.254.169.254/",
  "http://user:word@example.com/",
  "file:///etc/passwd",
  "not an address",
])("%s is not fetched", async (url) => {
  await expect(fetched(url)).rejects.toThrow(/not on the public internet|user name or password|not an http or https/);
});

test("a public name that leads to this machine is not fetched", async () => {
  let asked = 0;
  const url = await serve((_, response) => {
    asked++;
    response.end();
  });
  await expect(fetched(url, guardLookup(toLoopback))).rejects.toThrow(/not on the public internet/);
  expect(asked).toBe(0);
});

test.each([
  ["scripts that never end", "<script "],
  ["comments that never end", "<!-- "],
  ["tags that never end", "<a "],
  ["ends without a start", "</p"],
  ["blanks", " \t"],
  ["blank lines", " \n"],
])(
  "a page of %s is read in time in proportion to its length",
  (_, piece) => {
    expect(growth((length) => void textOfHtml(piece.repeat(length / piece.length)), 200_000, 800_000)).toBeLessThan(10);
  },
  30_000,
);
