import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll } from "vitest";
import { type Broker, type BrokerOptions, createBroker } from "../../../../packages/hookloop/src/run/process/broker.ts";
import { temporaryFolder } from "../processes.ts";

const source = fileURLToPath(new URL("../../../../packages/hookloop/src/run/process/broker-process.ts", import.meta.url));

/** The broker's program, as a bare `node` can run it. */
export const BROKER_SCRIPT: string = path.join(temporaryFolder(), "broker-process.mjs");
await build({ entryPoints: [source], outfile: BROKER_SCRIPT, bundle: true, platform: "node", format: "esm", logLevel: "warning" });

const brokers: Broker[] = [];
afterAll(async () => {
  await Promise.all(brokers.map((broker) => broker.close()));
});

/** A broker that is used whatever the size of this process and of the input; closed when the test file is done. */
export function brokerFromSource(options: BrokerOptions = {}): Broker {
  const broker = createBroker({ fromHostBytes: 0, largestInputBytes: Number.POSITIVE_INFINITY, script: BROKER_SCRIPT, ...options });
  brokers.push(broker);
  return broker;
}
