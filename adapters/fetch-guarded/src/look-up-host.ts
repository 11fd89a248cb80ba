/**
 * The addresses of a host. For an untrusted host the machine's name servers are asked directly, without the
 * hosts file and search domains. The system's own resolver works in the few threads that files use too, and
 * each name without an answer would hold one of them; here a query is a packet and a timer. The time-out of the
 * connection bounds all of it.
 */
import { lookup, Resolver } from "node:dns/promises"
import type { LookUpHost } from "./guarded-fetch-options.ts"

/**
 * For each name server; they are asked in turn, once each. Most answers take far less, but an untrusted name
 * may have none.
 */
const TIMEOUT_MS = 2_000

export function createLookUp(): LookUpHost {
  let resolver: Resolver | undefined
  return async (hostname) => {
    resolver ??= new Resolver({ timeout: TIMEOUT_MS, tries: 1 })
    const asked = [resolver.resolve4(hostname), resolver.resolve6(hostname)]
    const answers = await Promise.allSettled(asked)
    return answers.flatMap((each) => (each.status === "fulfilled" ? each.value : []))
  }
}

/** For a host that an operator names, such as `localhost` or another container's short name. */
export async function lookUpBySystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true })
  return found.map(({ address }) => address)
}
