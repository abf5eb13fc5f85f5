export { createWarmPool, type WarmOptions, type WarmPool } from "./warm-pool.ts";
