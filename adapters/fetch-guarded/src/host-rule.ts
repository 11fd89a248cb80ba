/**
 * Which hosts a request may contact, by their names alone. The address rule judges where a name leads: an
 * allowed host has to pass it too, a trusted origin does not.
 */
import { isHostWithin, type MediaRequest } from "@safelight/core"

export type HostVerdict = "allowed" | "trusted" | "refused"
export type HostRule = (address: URL) => HostVerdict

/** Throws a `RangeError` if a host or an origin could never match, since that is a mistake. */
export function createHostRule({
  hosts,
  trustedOrigins = [],
}: Pick<MediaRequest, "hosts" | "trustedOrigins">): HostRule {
  if (hosts?.every(isHost) === false) {
    throw new RangeError("hosts must be names as URLs hold them, such as *.media.example")
  }
  if (!trustedOrigins.every(isOrigin)) {
    throw new RangeError("trustedOrigins must be origins, such as http://media.example:8188")
  }
  return ({ origin, hostname }) => {
    if (trustedOrigins.includes(origin)) return "trusted"
    const isAllowed = hosts === undefined || hosts.some((host) => isHostWithin(hostname, host))
    return isAllowed ? "allowed" : "refused"
  }
}

/** Whether it is spelt as in a parsed URL: lower case, no port, Punycode, addresses in full. */
function isHost(host: string): boolean {
  const name = host.startsWith("*.") ? host.slice(2) : host
  return !name.includes("*") && URL.parse(`http://${name}`)?.hostname === name
}

function isOrigin(origin: string): boolean {
  return /^https?:/.test(origin) && URL.parse(origin)?.origin === origin
}
