export { useNamed } from "./shipped-hook.ts";
