export { assessCommand } from "./assess-command.ts";
export type { AssessContext, Assessment, Crossing, Fact, Profile, Risk } from "./types.ts";
