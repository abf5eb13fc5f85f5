import "./use-broker.ts";
import "../misbehaving-hooks.process.test.ts";
