import "./use-broker.ts";
import "../first-line.process.test.ts";
