/** A file as it can be run by `ModuleGraph`. */
export interface CompiledFile {
  readonly code: string;
  /** Mappings back to the source, the last step first. */
  readonly mappings: readonly string[];
}
