import { describe, expect, test } from "vitest";
import { readCommand } from "../read-command.ts";
import { touchedPaths } from "./touched-paths.ts";

function changed(command: string): readonly string[] {
  const touched = touchedPaths(readCommand(command), { cwd: "/w", home: "/home/u" });
  return touched.flatMap(({ how, path }) => (how === "read" || path === undefined ? [] : [path.replace("/./", "/")]));
}

/** All orders of some letters. */
function orders(letters: readonly string[]): readonly string[] {
  if (letters.length < 2) return letters;
  return letters.flatMap((letter, at) => orders(letters.filter((_, other) => other !== at)).map((rest) => letter + rest));
}

/** Program, flags that change nothing, the letter that does, and what else the line has; `@`: the word of letters. */
const WITH_FLAGS: readonly (readonly [flags: readonly string[], letter: string, line: string])[] = [
  [["E", "n", "z"], "i", "sed @ s/a/b/ F"],
  [["r", "s", "u"], "i", "sed @ -e s/a/b/ F"],
  [["E", "n", "l5"], "i", "sed s/a/b/ F @"],
  [["E", "a"], "I", "sed @ s/a/b/ F"],
  [["0", "p", "l"], "i", "perl @ -e s/a/b/ F"],
  [["0777", "p", "w"], "i", "perl @ -e s/a/b/ F"],
  [["0x1f", "n", "a"], "i", "perl @ -e s/a/b/ F"],
  [["l012", "p", "g"], "i", "perl @ -e s/a/b/ F"],
  [["0", "p", "l"], "i", "ruby @ -e p F"],
  [["W0", "n", "a"], "i", "ruby @ -e p F"],
  [["P", "r"], "i", "yq @ .a=1 F"],
  [["i", "p"], "a", "tee @ F"],
  [["f", "v", "d"], "r", "rm @ F"],
  [["c", "f", "v"], "R", "chmod @ 600 F"],
  [["c", "f", "h"], "R", "chown @ me F"],
  [["s", "f", "n"], "v", "ln @ a F"],
  [["d", "p", "f"], "v", "cp @ a F"],
  [["f", "v"], "T", "mv @ a F"],
  [["c", "d"], "i", "uniq @ a F"],
  [["b", "p0"], "s", "patch @ F a.diff"],
];

/** The same for letters whose value is what is written. */
const WITH_VALUE: readonly (readonly [flags: readonly string[], letter: string, line: string])[] = [
  [["f", "m", "u"], "o", "sort @ a"],
  [["n", "r", "b"], "o", "sort a @"],
  [["v", "f", "p"], "t", "cp @ a"],
  [["v", "f", "n"], "t", "mv a @"],
  [["p", "C", "v"], "t", "install @ a"],
  [["s", "f", "n"], "t", "ln @ a"],
  [["s", "S", "L"], "o", "curl @ https://x.y/a"],
  [["f", "k", "s"], "D", "curl @ https://x.y/a"],
  [["q", "c", "N"], "O", "wget @ https://x.y/a"],
  [["q", "b"], "a", "wget @ https://x.y/a"],
  [["c", "z", "v"], "f", "tar @ a"],
  [["x", "z", "v"], "C", "tar @ --file a.tar"],
  [["b", "f", "N"], "o", "patch @ a a.diff"],
  [["c", "s"], "o", "iconv @ a"],
];

describe("what an option does it does in any order of the letters of its word", () => {
  test.each(WITH_FLAGS)("%j %s: %s", (flags, letter, line) => {
    for (const letters of orders([...flags, letter])) {
      const command = line.replace("@", `-${letters}`);
      // `-iE` is in place, with a copy that ends in `E`.
      expect([command, changed(command)]).toEqual([command, expect.arrayContaining(["/w/F"])]);
    }
  });

  test.each(WITH_VALUE)("%j %s: %s", (flags, letter, line) => {
    for (const letters of orders(flags)) {
      for (const value of ["F", " F"]) {
        const command = line.replace("@", `-${letters}${letter}${value}`);
        const named = changed(command).map((path) => path.replace(/\/F\/.*/, "/F"));
        expect([command, named]).toEqual([command, expect.arrayContaining(["/w/F"])]);
      }
    }
  });
});

test.each([
  "sed --in-pl s/a/b/ F",
  "sed --i=.bak s/a/b/ F",
  "sed s/a/b/ F --in-place",
  "sed --expr s/a/b/ -i F",
  "sed -E$X s/a/b/ F",
  "gsed -Ei s/a/b/ F",
  "perl5.36 -0pi -e s/a/b/ F",
  "perl -pi.bak -e s/a/b/ F",
  "perl -I lib -pi -e s/a/b/ F",
  "perl -ne 'BEGIN { $^I = q() } print' F",
  "ruby -Ku -pi -e p F",
  "gawk -bi inplace '{ print }' F",
  "gawk --inc inplace '{ print }' F",
  "gawk -W include=inplace '{ print }' F",
  "gawk '@include \"inplace\"; { print }' F",
  "gawk -oF '{ print }' a",
  "sort --out F a",
  "sort a --outp=F",
  "cp --targ . F",
  "cp a --targ=. F",
  "cp -d a F",
  "cp a F --suff x",
  "install a F --strip-program true",
  "tar xCf F a.tar",
  "tar --extr --file a.tar --direc F",
  "curl --outp F https://x.y/a",
  "wget --output-d F https://x.y/a",
  "chmod --ref a F",
  "chown --reference a F",
  "chattr -i F",
  "rename -e s/a/b/ F",
  "uniq -c a F",
  "xxd -r -ps a F",
  "xxd -c 16 a F",
  "nano -i F",
  "rsync a F --log-file x",
  "rsync --backup a F",
  "cpio -pdm F",
  "git clean -xdf F",
  "git clean --forc F",
])("it changes F: %s", (line) => {
  expect([...changed(line)].map((path) => path.replace(/\/F\/.*/, "/F"))).toContain("/w/F");
});

test.each([
  "sed -nE p F",
  "sed -ne i F",
  "sed -l 5 -n l F",
  "perl -ne print F",
  "perl -Mstrict -ne print F",
  "perl -CSi -ne print F",
  "perl -Ilib -ne print F",
  "ruby -rset -ne print F",
  "awk -F: '{ print }' F",
  "sort -k2 -t: F",
  "sort -to F",
  "uniq -c F",
  "xxd -l 16 F",
  "tar tzf F",
  "tar -tzf F",
  "yq -r .a F",
])("it changes nothing: %s", (line) => {
  expect(changed(line)).toEqual([]);
});
