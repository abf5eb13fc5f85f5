import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { guardLookup, isLoopbackHost, isPublicAddress } from "../../run/index.ts";
import { type CatalogueTool, shownOutput, ToolFailure } from "./types.ts";

const LIMIT_MS = 30_000;
const LARGEST_BODY = 5 * 1024 * 1024;

interface WebFetchOptions {
  /** Finds the address of a name for the connection itself; by default only public addresses are found. */
  readonly lookup?: LookupFunction | undefined;
}

/** Fetches a page from the public internet. It is offered only where a rule allows it: nothing is fetched by default. */
export function createWebFetchTool({ lookup = guardLookup() }: WebFetchOptions = {}): CatalogueTool<"WebFetch"> {
  return {
    name: "WebFetch",
    description: "Fetches a page and gives its text. Redirects are not followed: you get the new address and may fetch it yourself.",
    async run({ url }, { signal }) {
      const { status, contentType, body, location } = await fetchPage(publicUrl(url), lookup, signal);
      if (location !== undefined)
        return { response: { url, code: status, location }, text: `It redirects to ${location}. Fetch that address if you want it.` };
      if (status >= 400) throw new ToolFailure(`The server answered with status ${status}.`);
      const result = contentType.includes("html") ? textOfHtml(body) : body;
      return {
        response: { url, code: status, bytes: Buffer.byteLength(body), result },
        text: shownOutput(result) || "(the page is empty)",
      };
    },
  };
}

// SECURITY: literals never reach the guarded lookup, so they are checked here; names are checked when the connection is made.
function publicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) throw new ToolFailure(`"${text}" is not an http or https address.`);
  if (url.username || url.password) throw new ToolFailure("Addresses with a user name or password are not fetched.");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isLoopbackHost(host) || (isIP(host) !== 0 && !isPublicAddress(host))) throw new ToolFailure(`${host} is not on the public internet.`);
  return url;
}

interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly location?: string | undefined;
}

function fetchPage(url: URL, lookup: LookupFunction, signal: AbortSignal): Promise<Page> {
  return new Promise((resolve, reject) => {
    const fail = (text: string): void => reject(new ToolFailure(`${url.href} could not be fetched: ${text}.`));
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const options = {
      lookup,
      signal: limit,
      headers: { "user-agent": "hookloop", accept: "text/html, text/*, application/json" },
    };
    const request = (url.protocol === "https:" ? https : http).get(url, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > LARGEST_BODY) request.destroy(new Error(`it is larger than ${LARGEST_BODY} bytes`));
        else chunks.push(chunk);
      });
      response.on("error", (error) => fail(error.message));
      response.on("end", () => {
        const { statusCode: status = 0, headers } = response;
        const target = status >= 300 && status < 400 ? headers.location : undefined;
        const location = target && URL.canParse(target, url.href) ? new URL(target, url.href).href : undefined;
        resolve({ status, contentType: headers["content-type"] ?? "", body: Buffer.concat(chunks).toString(), location });
      });
    });
    request.on("error", (error) => fail(limit.aborted && !signal.aborted ? `it took longer than ${LIMIT_MS / 1000} s` : error.message));
  });
}

const HIDDEN_TAG = /^(?:script|style|noscript|template)\b/i;
const BREAKING_TAG = /^(?:br|\/p|\/div|\/li|\/h[1-6]|\/tr)\b/i;
const LONGEST_TAG_NAME = 16;

/**
 * Enough to read a page by: no scripts, no tags, no long gaps.
 * SECURITY: goes through the page once; expressions that look for the end of every tag take hours over five megabytes of `<script`.
 */
export function textOfHtml(html: string): string {
  const lower = html.toLowerCase();
  const pieces: string[] = [];
  for (let at = 0; at < html.length; ) {
    const start = html.indexOf("<", at);
    pieces.push(html.slice(at, start < 0 ? undefined : start));
    if (start < 0) break;
    const head = html.slice(start + 1, start + 1 + LONGEST_TAG_NAME);
    const hidden = HIDDEN_TAG.exec(head)?.[0].toLowerCase();
    const isComment = head.startsWith("!--");
    const closer = isComment ? "-->" : hidden === undefined ? ">" : `</${hidden}`;
    const end = lower.indexOf(closer, start + 1);
    pieces.push(BREAKING_TAG.test(head) ? "\n" : " ");
    // What never ends hides the rest, as in a browser.
    if (end < 0) break;
    at = hidden === undefined ? end + closer.length : end;
  }
  const broken = pieces.join("");
  const names: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };
  const plain = broken.replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => names[name] ?? "");
  const lines = plain.split("\n").map((line) => line.replace(/[^\S\n]+/g, " ").trim());
  return lines.filter((line) => line !== "").join("\n");
}
