/**
 * Opens the sockets, and is where the address rule holds. A `lookup` hook never sees an IP literal,
 * so literals are judged before connecting; of a name, every address is judged and the socket takes
 * one of just those, with no second look-up in between; and what the socket is in fact connected to
 * is judged once more before a byte of HTTP leaves.
 */
import type { LookupAddress } from "node:dns"
import { isIP, type LookupFunction } from "node:net"
import { buildConnector } from "undici"
import type { AddressRule } from "./address-rule.ts"
import type { LookUpHost } from "./guarded-fetch-options.ts"
import { downloadFailed } from "./media-fault.ts"

type LookupArguments = Parameters<LookupFunction>

export interface GuardedConnectorOptions {
  readonly isAllowed: AddressRule
  readonly lookup: LookUpHost
  readonly connectTimeoutMs: number
  /** Closes the sockets, also those that still connect. */
  readonly signal: AbortSignal
}

export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { isAllowed, signal } = options
  const connect = buildConnector({
    allowH2: false,
    maxCachedSessions: 0,
    timeout: options.connectTimeoutMs,
    lookup: createGuardedLookup(options),
    signal,
  })
  return (target, callback) => {
    if (isIP(target.hostname) !== 0 && !isAllowed(target.hostname)) {
      queueMicrotask(() => callback(refused(), null))
      return
    }
    connect(target, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null)
      } else if (isAllowed(socket.remoteAddress ?? "", socket.localAddress)) {
        callback(null, socket)
      } else {
        socket.destroy()
        callback(refused(), null)
      }
    })
  }
}

/** One address that is not allowed spoils the answer: an honest host does not mix them. */
function createGuardedLookup({ isAllowed, lookup }: GuardedConnectorOptions): LookupFunction {
  async function answer(...[hostname, { all }, callback]: LookupArguments): Promise<void> {
    const addresses = await findAddresses(hostname, lookup)
    const [first] = addresses
    if (first === undefined) callback(downloadFailed("its host was not found", true), "")
    else if (!addresses.every((address) => isAllowed(address))) callback(refused(), "")
    else if (all !== true) callback(null, first, isIP(first))
    else callback(null, addresses.map(toLookupAddress))
  }
  return (...lookupArguments) => void answer(...lookupArguments)
}

function toLookupAddress(address: string): LookupAddress {
  return { address, family: isIP(address) }
}

/** A resolver that fails and one that finds nothing say the same: there is nowhere to connect. */
async function findAddresses(hostname: string, lookup: LookUpHost): Promise<readonly string[]> {
  try {
    return await lookup(hostname)
  } catch {
    return []
  }
}

function refused(): Error {
  return downloadFailed("its address is not allowed")
}
