/**
 * Opens the sockets, and applies the address rule. A `lookup` hook never sees an IP literal, so literals are
 * judged before connecting. Of a name every address is judged, and the socket takes one of those, with no
 * second look-up in between. The address that the socket is connected to is judged once more before a byte of
 * HTTP is sent. All of this runs in callbacks, where an exception would end the process: so a refusal is passed
 * to the callback and never thrown.
 */
import type { LookupAddress } from "node:dns"
import { isIP, type LookupFunction, type Socket } from "node:net"
import { buildConnector } from "undici"
import type { AddressJudge } from "./address-rule.ts"
import type { LookUpHost } from "./guarded-fetch-options.ts"

type LookupArguments = Parameters<LookupFunction>

/** A large CDN answers with a dozen; an answer over TCP holds thousands, and each is judged. */
export const MOST_ADDRESSES = 64

/** Why no socket is opened to a host. */
export type ConnectRefusal =
  | "address-refused"
  | "host-unknown"
  | "too-many-addresses"
  | "own-addresses-unknown"

export interface GuardedConnectorOptions {
  readonly judge: AddressJudge
  readonly lookup: LookUpHost
  /** The error that a refusal is passed on as. */
  readonly toFault: (refusal: ConnectRefusal) => Error
  readonly connectTimeoutMs: number
  /** Closes the sockets, even those that are still connecting. */
  readonly signal: AbortSignal
  /** Of each socket that is handed on, with the origin that it was opened for. */
  readonly onConnected?: (origin: string, socket: Socket) => void
}

export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { judge, toFault, signal, onConnected } = options
  const connect = buildConnector({
    allowH2: false,
    maxCachedSessions: 0,
    timeout: options.connectTimeoutMs,
    lookup: createGuardedLookup(options),
    signal,
  })
  return (target, callback) => {
    const { hostname } = target
    const refusal = isIP(hostname) === 0 ? undefined : findRefusal(judge, [hostname])
    if (refusal !== undefined) {
      queueMicrotask(() => callback(toFault(refusal), null))
      return
    }
    connect(target, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null)
        return
      }
      const { remoteAddress = "", localAddress } = socket
      const socketRefusal = findRefusal(judge, [remoteAddress], localAddress)
      if (socketRefusal === undefined) {
        onConnected?.(`${target.protocol}//${target.host}`, socket)
        callback(null, socket)
        return
      }
      socket.destroy()
      callback(toFault(socketRefusal), null)
    })
  }
}

/** One forbidden address refuses the whole answer: an honest host does not mix them. */
function createGuardedLookup({ judge, lookup, toFault }: GuardedConnectorOptions): LookupFunction {
  async function answer(...[hostname, { all }, callback]: LookupArguments): Promise<void> {
    const addresses = await findAddresses(hostname, lookup)
    const [first] = addresses
    if (first === undefined) return callback(toFault("host-unknown"), "")
    if (addresses.length > MOST_ADDRESSES) return callback(toFault("too-many-addresses"), "")
    const refusal = findRefusal(judge, addresses)
    if (refusal !== undefined) return callback(toFault(refusal), "")
    if (all !== true) return callback(null, first, isIP(first))
    return callback(null, addresses.map(toLookupAddress))
  }
  return (...lookupArguments) => void answer(...lookupArguments)
}

function toLookupAddress(address: string): LookupAddress {
  return { address, family: isIP(address) }
}

/** A resolver that fails and one that finds nothing mean the same: there is no address to connect to. */
async function findAddresses(hostname: string, lookup: LookUpHost): Promise<readonly string[]> {
  try {
    return await lookup(hostname)
  } catch {
    return []
  }
}

/** Why none of the addresses may be connected to; undefined if all may. */
function findRefusal(
  judge: AddressJudge,
  ...judged: Parameters<AddressJudge>
): ConnectRefusal | undefined {
  switch (judge(...judged)) {
    case "allowed":
      return undefined
    case "refused":
      return "address-refused"
    case "unknown":
      return "own-addresses-unknown"
  }
}
