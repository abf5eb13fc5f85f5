// Imported before a file of process tests, it lets every hook of that file run through a broker.
import { afterAll } from "vitest";
import type { Broker } from "../../../../packages/hookloop/src/run/process/broker.ts";
import { PORTS } from "../processes.ts";
import { brokerFromSource } from "./broker-from-source.ts";

const problems: string[] = [];
const broker: Broker = brokerFromSource({ onProblem: (text) => problems.push(text) });
if (!(await broker.start())) throw new Error("the broker does not start");
Object.assign(PORTS, { run: broker.run });

// The tests of the file are worth nothing if they fell back to direct starts.
afterAll(() => {
  if (problems.length > 0) throw new Error(`the broker was lost: ${problems}`);
});
