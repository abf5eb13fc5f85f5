import dns from "node:dns";
import type { LookupFunction } from "node:net";
import { isLoopbackAddress, isLoopbackHost, isPublicAddress } from "./address-rules.ts";

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
