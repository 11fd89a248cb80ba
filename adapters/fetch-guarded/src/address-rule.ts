/**
 * Which addresses may be connected to: public unicast ones that are neither this host's own nor a
 * cloud's, and those a host allows by name of their block; one that is denied by name never. An
 * IPv4-mapped address is judged by its IPv4; whatever else embeds an IPv4 address (6to4, Teredo,
 * NAT64) is refused, since a gateway may lead it anywhere.
 */
import { isIP } from "node:net"
import os from "node:os"
import ipaddr from "ipaddr.js"

/** `localAddress` is the near end of a socket whose far end is judged, where there is one. */
export type AddressRule = (address: string, localAddress?: string) => boolean

export interface AddressBlocks {
  /** CIDR blocks that may be reached although they are not public. */
  readonly allowedAddresses?: readonly string[]
  /** CIDR blocks that may not, whatever else holds. */
  readonly deniedAddresses?: readonly string[]
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Block = [Address, number]

/** The blocks are checked by `toSettings`. */
export function createAddressRule({
  allowedAddresses = [],
  deniedAddresses = [],
}: AddressBlocks): AddressRule {
  const allowed = allowedAddresses.map((block) => ipaddr.parseCIDR(block))
  const denied = deniedAddresses.map((block) => ipaddr.parseCIDR(block))
  return (address, localAddress) => {
    // The parser below also reads octal and shortened forms, which a socket reads otherwise.
    if (isIP(address) === 0 || COMPATIBLE.test(address)) return false
    const parsed = ipaddr.process(address)
    if (isWithinAny(parsed, denied)) return false
    if (isWithinAny(parsed, allowed)) return true
    return isPublic(parsed) && !isWithinAny(parsed, CLOUDS) && !isOwn(parsed, localAddress)
  }
}

/** The withdrawn IPv4-compatible form, which the parser takes for the IPv4-mapped one. */
const COMPATIBLE = /^::\d+\./

/** What IANA assigned for the public Internet; `unicast` means "in no special block". */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3")

/** What clouds serve their machines at in public space: Azure's platform, IBM's services. */
const CLOUDS: readonly Block[] = ["168.63.129.16/32", "161.26.0.0/16", "166.8.0.0/14"].map(
  (block) => ipaddr.parseCIDR(block),
)

function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST)
}

/** Reached from within, where no firewall stands. Addresses come and go, so they are asked each time. */
function isOwn(address: Address, localAddress: string | undefined): boolean {
  const interfaces = Object.values(os.networkInterfaces()).flatMap((each) => each ?? [])
  const own = interfaces.map((each) => each.address)
  return [...own, ...(localAddress === undefined ? [] : [localAddress])].some(
    (each) => ipaddr.isValid(each) && isSame(ipaddr.process(each), address),
  )
}

function isSame(one: Address, other: Address): boolean {
  return one.kind() === other.kind() && one.toNormalizedString() === other.toNormalizedString()
}

function isWithinAny(address: Address, blocks: readonly Block[]): boolean {
  return blocks.some(
    ([network, bits]) => address.kind() === network.kind() && address.match(network, bits),
  )
}
