// Which addresses http hooks and WebFetch may reach. Loaded with the engine, so it must not load Node's http modules.

import dns from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** IPv4 networks that are not the public internet (IANA special-purpose registry). */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  // Carrier-grade NAT; one cloud keeps its metadata at 100.100.100.200.
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Link-local, and the metadata of most clouds.
  ["169.254.0.0", 16],
  // The host agent of Azure: a public address that only a machine itself can reach.
  ["168.63.129.16", 32],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Inside the one network of IPv6 that is public, these are not, or hold an IPv4 address. */
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  // Protocol assignments, Teredo among them.
  ["2001::", 23],
  ["2001:db8::", 32],
  // 6to4
  ["2002::", 16],
  ["3fff::", 20],
];

const special = listOf(SPECIAL_IPV4, SPECIAL_IPV6);
const globalUnicast = listOf([], [["2000::", 3]]);
const loopback = listOf([["127.0.0.0", 8]], []);

/**
 * Whether an address is on the public internet. SECURITY: for IPv6 only global unicast is: so every form that carries an
 * IPv4 address (`::ffff:0:0/96`, `::/96`, `64:ff9b::/96`, 6to4) is not, whatever it carries.
 */
export function isPublicAddress(address: string): boolean {
  const [bare = ""] = address.split("%");
  const family = isIP(bare);
  if (family === 4) return !special.check(bare, "ipv4");
  return family === 6 && globalUnicast.check(bare, "ipv6") && !special.check(bare, "ipv6");
}

/** `127.0.0.0/8` and `::1`; forms that only carry such an address are none. */
export function isLoopbackAddress(address: string): boolean {
  if (isIP(address) === 4) return loopback.check(address, "ipv4");
  return address === "::1";
}

/** Whether a URL's host itself says that it is this machine. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || isLoopbackAddress(host);
}

function listOf(ipv4: readonly (readonly [string, number])[], ipv6: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of ipv4) list.addSubnet(network, bits, "ipv4");
  for (const [network, bits] of ipv6) list.addSubnet(network, bits, "ipv6");
  return list;
}

/** Thrown into the connection by the lookup; tells a refusal from a name that does not resolve. */
export const ADDRESS_REFUSED = "ERR_ADDRESS_REFUSED";

/**
 * A lookup that gives only addresses a hook may reach. SECURITY: this is the lookup that the connection itself uses; a
 * check before it would be beaten by a name that resolves to something else the second time. One address that is not
 * allowed refuses the name. IP literals never come here: they are checked with the URL.
 */
export function guardLookup(resolve: LookupFunction = dns.lookup as LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, options, (error, found, family) => {
      if (error) return callback(error, found, family);
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      const barred = addresses.find((address) => !mayReach(hostname, address));
      if (barred === undefined) return callback(null, found, family);
      callback(refusal(`${hostname} is ${barred}, which is not on the public internet`), found, family);
    });
  };
}

/** Whether loopback is allowed at all was asked before; a name that does not say so must not lead there. */
function mayReach(hostname: string, address: string): boolean {
  return isPublicAddress(address) || (isLoopbackHost(hostname) && isLoopbackAddress(address));
}

function refusal(text: string): NodeJS.ErrnoException {
  return Object.assign(new Error(text), { code: ADDRESS_REFUSED });
}
