/**
 * Which addresses may be connected to: public unicast ones that are neither this host's own nor a cloud's,
 * and those in a block that an option allows; never those in a denied block. An IPv4-mapped address is
 * judged by its IPv4 address; other forms that embed one (6to4, Teredo, NAT64) are refused, since a gateway
 * may lead them anywhere. If the host's own addresses can't be listed, public ones are refused too: they
 * might be among them. A rule and a judge never throw.
 */
import { isIP } from "node:net"
import os from "node:os"
import ipaddr from "ipaddr.js"

/** `localAddress` is the near end of the socket whose far end is judged, if there is a socket. */
export type AddressRule = (address: string, localAddress?: string) => boolean

/**
 * Of the addresses of one name, or of both ends of one socket: `unknown` says that the host's own
 * addresses could not be listed, which is a refusal that may pass.
 */
export type AddressVerdict = "allowed" | "refused" | "unknown"

/** Allows addresses only if all are allowed. The host's own are listed at most once. */
export type AddressJudge = (addresses: readonly string[], localAddress?: string) => AddressVerdict

export interface AddressBlocks {
  /** CIDR blocks that may be reached although they are not public. */
  readonly allowedAddresses?: readonly string[]
  /** CIDR blocks that may not, whatever else holds. */
  readonly deniedAddresses?: readonly string[]
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Block = [Address, number]

export function createAddressRule(blocks: AddressBlocks): AddressRule {
  const judge = createAddressJudge(blocks)
  return (address, localAddress) => judge([address], localAddress) === "allowed"
}

/** The blocks are checked by `toSettings`. */
export function createAddressJudge({
  allowedAddresses = [],
  deniedAddresses = [],
}: AddressBlocks): AddressJudge {
  const allowed = allowedAddresses.map((block) => ipaddr.parseCIDR(block))
  const denied = deniedAddresses.map((block) => ipaddr.parseCIDR(block))

  /** The verdict by the blocks and the address itself; undefined if the host's own addresses decide. */
  function judgeAlone(address: Address): AddressVerdict | undefined {
    if (isWithinAny(address, denied)) return "refused"
    if (isWithinAny(address, allowed)) return "allowed"
    return isPublic(address) && !isWithinAny(address, CLOUDS) ? undefined : "refused"
  }

  return (addresses, localAddress) => {
    const open: Address[] = []
    for (const address of addresses) {
      const parsed = parseAddress(address)
      const verdict = parsed === undefined ? "refused" : judgeAlone(parsed)
      if (verdict === "refused") return verdict
      if (parsed !== undefined && verdict === undefined) open.push(parsed)
    }
    if (open.length === 0) return "allowed"
    const own = listOwn(localAddress)
    if (own === undefined) return "unknown"
    return open.some((address) => own.some((each) => isSame(each, address))) ? "refused" : "allowed"
  }
}

/** The parser also reads octal and shortened forms, which a socket may read as another address. */
function parseAddress(address: string): Address | undefined {
  if (isIP(address) === 0 || COMPATIBLE.test(address)) return undefined
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined
}

/** The withdrawn IPv4-compatible form, which the parser takes for the IPv4-mapped one. */
const COMPATIBLE = /^::\d+\./

/** IANA's block for the public Internet; `unicast` only means "in no special block". */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3")

/** Public addresses at which clouds serve their machines: Azure's platform, IBM's services. */
const CLOUDS: readonly Block[] = ["168.63.129.16/32", "161.26.0.0/16", "166.8.0.0/14"].map(
  (block) => ipaddr.parseCIDR(block),
)

function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST)
}

/**
 * The host's own addresses, which are reached from behind its firewall. They come and go, so they are listed
 * each time. Undefined if the system does not list them: it has no descriptor left, or the process may open
 * no netlink socket.
 */
function listOwn(localAddress: string | undefined): readonly Address[] | undefined {
  try {
    const interfaces = Object.values(os.networkInterfaces()).flatMap((each) => each ?? [])
    const own = interfaces.map((each) => each.address)
    const all = localAddress === undefined ? own : [...own, localAddress]
    return all.filter((each) => ipaddr.isValid(each)).map((each) => ipaddr.process(each))
  } catch {
    return undefined
  }
}

/**
 * Whether the machine lists its own addresses now. While it does not, no public address is allowed. For a host to ask
 * at its start, since the cause is mostly a sandbox around the process.
 */
export function canListOwnAddresses(): boolean {
  return listOwn(undefined) !== undefined
}

function isSame(one: Address, other: Address): boolean {
  return one.kind() === other.kind() && one.toNormalizedString() === other.toNormalizedString()
}

function isWithinAny(address: Address, blocks: readonly Block[]): boolean {
  return blocks.some(
    ([network, bits]) => address.kind() === network.kind() && address.match(network, bits),
  )
}
