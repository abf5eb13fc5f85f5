export { assessCommand } from "./assess-command.ts";
export type { Crossing, Fact, Profile, Risk } from "./types.ts";
