export { createNativeDialect } from "./native-dialect.ts";
