/** How a program that starts another program reads its own options. An option in none of the lists makes the reading uncertain. */
export interface Wrapper {
  /** Letters of options without a value. */
  readonly flags?: string;
  /** Letters of options with a value, attached or in the next word. */
  readonly valued?: string;
  /** Letters of options whose value, if any, is attached. */
  readonly attached?: string;
  readonly longFlags?: readonly string[];
  readonly longValued?: readonly string[];
  /** Long options that take the next two words. */
  readonly twoValued?: readonly string[];
  /** An option in none of the lists is no doubt: what follows is read as the program, and once more as if it were the option's value. */
  readonly isLenient?: true;
  /** A first word that is no option stands before the options and says nothing about the program. */
  readonly hasFirstOperand?: true;
  /** The program follows the first of these words, wherever it stands. */
  readonly after?: readonly string[];
  /** Long options are written with one dash. */
  readonly singleDash?: true;
  /** Options may follow operands, up to `--`. */
  readonly permutes?: true;
  /** `NAME=value` words before the program are its environment. */
  readonly assignments?: true;
  /** Words between the options and the program. */
  readonly operands?: number;
  /** With one of these options it starts nothing. */
  readonly startsNothing?: string;
  /** What follows is shell text, joined by blanks; or, with the option letter given, a program after all. */
  readonly isScript?: { readonly unless: string };
  /** Adds words of its own to the program's: those it reads from stdin. */
  readonly addsWords?: true;
  /** Option whose value is split into words that take its place. */
  readonly split?: { readonly letter: string; readonly long: string };
  /** Options whose value is shell text. */
  readonly scripts?: readonly string[];
  /** Options whose value is the folder it starts the program in. */
  readonly folder?: readonly string[];
  /** The program starts on another machine or in another file system. */
  readonly isElsewhere?: true;
  /**
   * Allow rules look through it, if it has no other options than these letters and long names.
   * SECURITY: what is listed writes no file, reads none and runs nothing, whatever its value.
   */
  readonly plain?: readonly string[];
  /** Options whose value is a file that it writes. */
  readonly writes?: readonly string[];
  /** Options whose value is a file that it reads. */
  readonly reads?: readonly string[];
  /** It writes, or makes, the file that its first operand names. */
  readonly writesOperand?: true;
  /** Without a program it starts a shell that reads stdin. */
  readonly isShell?: true;
  /** Only these sub-commands start something; the options above stand before them. */
  readonly subcommands?: Readonly<Record<string, Wrapper>>;
}
