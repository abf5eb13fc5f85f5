export { createEnvFile, type EnvFile } from "./env-file.ts";
