/**
 * Which addresses may be connected to: public unicast ones, and those a host allows by name of
 * their block. An IPv4-mapped address is judged by its IPv4; whatever else embeds an IPv4 address
 * (6to4, Teredo, NAT64) is refused, since a gateway may lead it anywhere.
 */
import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

export type AddressRule = (address: string) => boolean

/** `allowedAddresses` are CIDR blocks, checked by `toSettings`. */
export function createAddressRule(allowedAddresses: readonly string[]): AddressRule {
  const blocks = allowedAddresses.map((block) => ipaddr.parseCIDR(block))
  return (address) => {
    // The parser below also reads octal and shortened forms, which a socket reads otherwise.
    if (isIP(address) === 0 || COMPATIBLE.test(address)) return false
    const parsed = ipaddr.process(address)
    return isPublic(parsed) || blocks.some((block) => isWithin(parsed, block))
  }
}

/** The withdrawn IPv4-compatible form, which the parser takes for the IPv4-mapped one. */
const COMPATIBLE = /^::\d+\./

/** What IANA assigned for the public Internet; `unicast` means "in no special block". */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3")

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST)
}

function isWithin(
  address: ipaddr.IPv4 | ipaddr.IPv6,
  [network, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number],
): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}
