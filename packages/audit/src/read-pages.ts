/**
 * Every stream of a storage, a page at a time: only one page is in memory, and each is consistent in
 * itself. Between two pages the event loop is given back, since a storage that answers at once would
 * otherwise keep it.
 */
import { setImmediate } from "node:timers/promises"
import type { ScanPage, Storage } from "@safelight/core"

/** Streams in memory at once: about a thousand events, a few milliseconds of work. */
export const PAGE_STREAMS = 200

/** Those behind `from`, an id; all by default. Rejects as `scan` does. */
export async function* readPages(
  storage: Pick<Storage, "scan">,
  limit: number = PAGE_STREAMS,
  from = "",
): AsyncGenerator<ScanPage> {
  for (let after: string | null = from; after !== null; await setImmediate()) {
    const page: ScanPage = await storage.scan({ after, limit })
    yield page
    after = page.next
  }
}
