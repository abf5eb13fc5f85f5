export { createPrebootPool } from "./preboot/preboot-pool.ts";
export { createWarmPool, type WarmOptions, type WarmPool } from "./warm-pool.ts";
