type Choices = readonly [string, ...string[]];

export const PLAIN_WORDS: Choices = [
  "a",
  "-x",
  "'a b'",
  '"a  b"',
  "a\\ b",
  "''",
  "{a,b}",
  "x{a,'b c'}y{1..3}",
  "{a,b{c,d}}",
  "d*",
  "[d]?",
  "$v",
  '"$v"',
  "${v:-z}",
  "$((1 + 2))",
  "$'\\t\\'x'",
  "a#b",
  "'#'",
  "k=v",
  "a${IFS}b",
  '"x\'y"',
  "\\$v",
  "--",
  "~",
  "$1",
  '"$@"',
];

export const REDIRECTS: Choices = [">o1", "2>>o2", "2>&1", "</dev/null", ">|o1", "&>o2", '> "o 3"', "3<&0", "<<< text", "<<< 'c1 w0x0'"];

/** Programs that start another; what they start follows. */
export const WRAPPERS: Choices = [
  "command ",
  "command -p -- ",
  "env ",
  "env A=1 B=2 ",
  "env -u A -- ",
  "nohup ",
  "nice -n 1 ",
  "timeout 5 ",
  "timeout -s KILL 5 ",
  "stdbuf -oL ",
  "setsid -w ",
  "xargs ",
  "echo a | xargs -n 1 ",
  "echo 'a b' | xargs -I{} ",
  "env -C d1 ",
  "\\command ",
  "'env' ",
  "find . -maxdepth 0 -exec ",
];
