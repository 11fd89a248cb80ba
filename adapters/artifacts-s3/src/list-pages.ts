/**
 * Follows a listing of the bucket page by page. A page that is truncated has to say where to go on,
 * somewhere else each time: a bucket that lies here would be followed for ever.
 */
import { expectFine, type Bucket } from "./bucket.ts"
import { createUnavailable } from "./storage-failure.ts"
import { findRoot, findText } from "./xml-text.ts"

export type Query = Readonly<Record<string, string>>

export interface Page {
  readonly operation: string
  readonly query: Query
  /** Its outermost element. */
  readonly root: string
}

/** What every page of it has in common. */
export interface Listing extends Page {
  /** What to add to the query for the page after this one; by the names of the query. */
  readonly toNext: (page: string) => Readonly<Record<string, string | undefined>>
}

/** Rejects with `artifacts-unavailable`. */
export async function* listPages(
  bucket: Bucket,
  { operation, query, root, toNext }: Listing,
): AsyncGenerator<string, void, undefined> {
  let next: Query = {}
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- a page says where the next one begins
    const text = await askPage(bucket, { operation, query: { ...query, ...next }, root })
    yield text
    if (findText(text, "IsTruncated") !== "true") return
    const following = toQuery(toNext(text))
    if (following === undefined || JSON.stringify(following) === JSON.stringify(next)) {
      throw createUnavailable(`${operation} has no end`)
    }
    next = following
  }
}

/** As XML. Rejects with `artifacts-unavailable`, also where the answer is another document. */
export async function askPage(bucket: Bucket, { operation, query, root }: Page): Promise<string> {
  const { text } = expectFine(await bucket.ask({ operation, method: "GET", query }))
  if (findRoot(text) !== root) throw createUnavailable(`${operation} was answered otherwise`)
  return text
}

/** Undefined where a value is. */
function toQuery(next: ReturnType<Listing["toNext"]>): Query | undefined {
  const isWhole = Object.values(next).every((value) => value !== undefined && value !== "")
  return isWhole ? (next as Query) : undefined
}
