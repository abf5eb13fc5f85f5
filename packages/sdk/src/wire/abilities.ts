/** Everything a hook can say, in the order the event facts count them. Each has an output helper of the same name. */
export type Ability =
  | "allow"
  | "deny"
  | "ask"
  | "defer"
  | "block"
  | "rewrite"
  | "context"
  | "feedback"
  | "replaceOutput"
  | "rewritePrompt"
  | "stop"
  | "tellUser"
  | "output";

// One string is smaller than thirteen: this line is in every hook script.
export const ABILITIES: readonly Ability[] =
  "allow deny ask defer block rewrite context feedback replaceOutput rewritePrompt stop tellUser output".split(" ") as Ability[];
