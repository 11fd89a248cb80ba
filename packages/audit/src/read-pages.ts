/**
 * Every stream of a storage, a page at a time, each consistent in itself. While one page is looked at, the next one is
 * read, so two are in memory. Between two pages the event loop is given back, since a storage that answers at once
 * would otherwise keep it.
 */
import { setImmediate } from "node:timers/promises"
import type { ScanPage, Storage } from "@safelight/core"

/** Streams of a page: about a thousand events, a few milliseconds of work. */
export const PAGE_STREAMS = 200

/** Those behind `from`, an id; all by default. Rejects as `scan` does. */
export async function* readPages(
  storage: Pick<Storage, "scan">,
  limit: number = PAGE_STREAMS,
  from = "",
): AsyncGenerator<ScanPage> {
  let reading: Promise<ScanPage> | null = storage.scan({ after: from, limit })
  while (reading !== null) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const { next, streams }: ScanPage = await reading
    reading = next === null ? null : storage.scan({ after: next, limit })
    // Whoever asks for that page gets its failure, and perhaps nobody does.
    reading?.catch(() => undefined)
    yield { next, streams }
    // oxlint-disable-next-line no-await-in-loop -- as above
    await setImmediate()
  }
}
