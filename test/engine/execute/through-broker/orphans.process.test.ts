import "./use-broker.ts";
import "../orphans.process.test.ts";
