export { isLoopbackHost, isPublicAddress } from "./address-rules.ts";
export { guardLookup } from "./guarded-lookup.ts";
export { createHttpRunner } from "./http-runner.ts";
