export { type Broker, type BrokerOptions, createBroker } from "./broker.ts";
