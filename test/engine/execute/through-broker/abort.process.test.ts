import "./use-broker.ts";
import "../abort.process.test.ts";
