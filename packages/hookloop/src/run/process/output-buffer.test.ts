import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputBuffer } from "./program.ts";

function collected(chunks: readonly Buffer[], keepBytes: number): OutputBuffer {
  const buffer = new OutputBuffer(keepBytes);
  for (const chunk of chunks) buffer.add(chunk);
  return buffer;
}

describe("an output buffer", () => {
  it("gives any text back whole, however it was cut into chunks", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 200 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (written, size) => {
        const bytes = Buffer.from(written);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        expect(collected(chunks, 10_000).text()).toEqual({ text: written, isBinary: false });
      }),
    );
  });

  it.each([[0], [1], [2], [3], [4]])("cut inside a character by %i bytes, ends before it and is not called binary", (extra) => {
    const buffer = collected([Buffer.from("ab€😀cd")], 2 + 3 + extra);
    expect(buffer.text()).toEqual({ text: extra === 4 ? "ab€😀" : "ab€", isBinary: false });
    expect(buffer.isTruncated).toBe(true);
  });

  it("says that bytes are no text", () => {
    expect(collected([Buffer.from([0x7b, 0xff, 0xfe])], 100).text()).toEqual({ text: "{\ufffd\ufffd", isBinary: true });
    expect(collected([Buffer.from([0xf0, 0x9f])], 100).text().isBinary).toBe(true);
  });

  it("counts what it does not keep", () => {
    const buffer = collected(
      Array.from({ length: 5000 }, () => Buffer.from("x")),
      3000,
    );
    expect([buffer.totalBytes, buffer.text().text.length, buffer.isTruncated]).toEqual([5000, 3000, true]);
  });

  it("is not truncated by exactly as much as it keeps", () => {
    expect(collected([Buffer.from("abc")], 3).isTruncated).toBe(false);
  });
});
