/**
 * Opens the sockets, and applies the address rule. A `lookup` hook never sees an IP literal, so literals are
 * judged before connecting. Of a name every address is judged, and the socket takes one of just those, with
 * no second look-up in between. The address that the socket is in fact connected to is judged once more
 * before a byte of HTTP leaves. All of this runs in callbacks, where an exception would end the process: a
 * refusal is handed on.
 */
import type { LookupAddress } from "node:dns"
import { isIP, type LookupFunction } from "node:net"
import { buildConnector } from "undici"
import type { AddressJudge } from "./address-rule.ts"
import type { LookUpHost } from "./guarded-fetch-options.ts"
import { downloadFailed } from "./media-fault.ts"

type LookupArguments = Parameters<LookupFunction>

/** A large CDN answers with a dozen; an answer over TCP holds thousands, and each is judged. */
const MOST_ADDRESSES = 64

export interface GuardedConnectorOptions {
  readonly judge: AddressJudge
  readonly lookup: LookUpHost
  readonly connectTimeoutMs: number
  /** Closes the sockets, also those that still connect. */
  readonly signal: AbortSignal
}

export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { judge, signal } = options
  const connect = buildConnector({
    allowH2: false,
    maxCachedSessions: 0,
    timeout: options.connectTimeoutMs,
    lookup: createGuardedLookup(options),
    signal,
  })
  return (target, callback) => {
    const { hostname } = target
    const fault = isIP(hostname) === 0 ? undefined : findFault(judge, [hostname])
    if (fault !== undefined) {
      queueMicrotask(() => callback(fault, null))
      return
    }
    connect(target, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null)
        return
      }
      const { remoteAddress = "", localAddress } = socket
      const socketFault = findFault(judge, [remoteAddress], localAddress)
      if (socketFault === undefined) {
        callback(null, socket)
        return
      }
      socket.destroy()
      callback(socketFault, null)
    })
  }
}

/** One forbidden address refuses the whole answer: an honest host does not mix them. */
function createGuardedLookup({ judge, lookup }: GuardedConnectorOptions): LookupFunction {
  async function answer(...[hostname, { all }, callback]: LookupArguments): Promise<void> {
    const addresses = await findAddresses(hostname, lookup)
    const [first] = addresses
    if (first === undefined) return callback(downloadFailed("its host was not found", true), "")
    if (addresses.length > MOST_ADDRESSES) return callback(tooMany(), "")
    const fault = findFault(judge, addresses)
    if (fault !== undefined) return callback(fault, "")
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

/** The reason why none of `addresses` may be connected to; undefined if all may. */
function findFault(judge: AddressJudge, ...judged: Parameters<AddressJudge>): Error | undefined {
  switch (judge(...judged)) {
    case "allowed":
      return undefined
    case "refused":
      return downloadFailed("its address is not allowed")
    case "unknown":
      return downloadFailed("this host can't list its own addresses to compare with", true)
  }
}

function tooMany(): Error {
  return downloadFailed(`its host has more than ${MOST_ADDRESSES} addresses`)
}
