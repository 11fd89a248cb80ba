/**
 * The addresses of a host. Of a stranger's they are asked of the machine's name servers directly: the
 * system's own resolver works in the few threads that files use too, and keeps one for each name that
 * nobody answers for; here a question is a packet and a timer. The hosts file and search domains do not
 * count then. A connection waits no longer for all of it than its own time-out.
 */
import { lookup, Resolver } from "node:dns/promises"
import type { LookUpHost } from "./guarded-fetch-options.ts"

/**
 * For each name server in turn, which is asked once. One that knows answers in far less; one that is
 * asked for a stranger's name may not.
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

/** Of a host that an operator names: `localhost`, or another container's short name, is one. */
export async function lookUpBySystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true })
  return found.map(({ address }) => address)
}
