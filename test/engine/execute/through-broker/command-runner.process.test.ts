import "./use-broker.ts";
import "../command-runner.process.test.ts";
