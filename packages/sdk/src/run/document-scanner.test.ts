import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentScanner } from "./script.ts";

const anyDocument = fc
  .tuple(
    fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue())),
    fc.constantFrom("", " ", "\t"),
    fc.constantFrom("", " ", "\n\n", "\ufeff"),
  )
  .map(([value, indentation, before]) => Buffer.from(before + JSON.stringify(value, null, indentation)));

/** A document cut into pieces at any bytes, also in the middle of a character. */
const anyChunks = anyDocument.chain((bytes) =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: bytes.length }))
    .map((cuts) => [0, ...cuts.sort((a, b) => a - b), bytes.length])
    .map((edges) => edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))),
);

const chunk = (text: string): Uint8Array => Buffer.from(text);

describe("documentScanner", () => {
  it("reports the end of any document at its last byte, never earlier", () => {
    fc.assert(
      fc.property(anyDocument, (bytes) => {
        const endOf = documentScanner();
        const ends = [...bytes].map((byte) => endOf(Uint8Array.of(byte)));
        expect(ends.findIndex((end) => end > 0)).toBe(bytes.length - 1);
      }),
    );
  });

  it("reports the end of any document in the piece that holds its last byte, however it is cut", () => {
    fc.assert(
      fc.property(anyChunks, (chunks) => {
        const endOf = documentScanner();
        const last = chunks.findLastIndex(({ length }) => length > 0);
        const ends = chunks.map((piece) => endOf(piece));
        expect(ends.findIndex((end) => end > 0)).toBe(last);
        expect(ends[last]).toBe(chunks[last]?.length);
      }),
    );
  });

  it("does not take brackets, quotes or backslashes inside a string for structure", () => {
    const endOf = documentScanner();
    expect(endOf(chunk('{"a":"}\\"]\\\\'))).toBe(0);
    expect(endOf(chunk('"'))).toBe(0);
    expect(endOf(chunk("}"))).toBe(1);
  });

  it("remembers an escape across two pieces", () => {
    const endOf = documentScanner();
    expect(endOf(chunk('{"a":"\\'))).toBe(0);
    expect(endOf(chunk('"}'))).toBe(0);
    expect(endOf(chunk('"}'))).toBe(2);
  });

  it("sees the end of a document that something follows", () => {
    expect(documentScanner()(chunk('{"a":1}\n{"b":2}'))).toBe(7);
  });

  it("does not wait for the rest of a document that starts with a closing bracket", () => {
    expect(documentScanner()(chunk("]"))).toBe(1);
  });

  it("never reports the end of a document that is cut off", () => {
    fc.assert(
      fc.property(anyDocument, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (bytes, share) => {
        expect(documentScanner()(bytes.subarray(0, Math.floor(bytes.length * share)))).toBe(0);
      }),
    );
  });
});
