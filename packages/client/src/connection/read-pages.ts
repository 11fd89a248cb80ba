/** Lists that come in pages. */
import { clientError } from "./api-error.ts"

interface Page {
  readonly next_cursor: string | null
}

/** Reads a list to its end; each page is fetched when it is needed. `what` names the list in an error. */
export async function* readPages<Read extends Page>(
  what: string,
  read: (cursor: string | undefined) => Promise<Read>,
): AsyncGenerator<Read, void, undefined> {
  let cursor: string | undefined
  do {
    // oxlint-disable-next-line no-await-in-loop -- a page tells where the next one is
    const page = await read(cursor)
    yield page
    const next = page.next_cursor ?? undefined
    if (next !== undefined && next === cursor) {
      throw clientError("invalid_answer", `${what} leads back to the same page`)
    }
    cursor = next
  } while (cursor !== undefined)
}
