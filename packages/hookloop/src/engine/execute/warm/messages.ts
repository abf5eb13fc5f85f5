/** One run of a script. */
export interface ToWarm {
  readonly file: string;
  readonly realpath: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: Uint8Array;
  /** How much of each stream is sent back; one byte more says that there was more. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

export type FromWarm =
  | { readonly kind: "ready" }
  | { readonly kind: "ended"; readonly exitCode: number; readonly stdout: Uint8Array; readonly stderr: Uint8Array }
  /** Nothing of the run is left: the next may come. */
  | { readonly kind: "clean" }
  /** Something is left that cannot be undone; the process must not be used again. */
  | { readonly kind: "spoilt"; readonly why: string };
