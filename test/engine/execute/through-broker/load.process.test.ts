import "./use-broker.ts";
import "../load.process.test.ts";
