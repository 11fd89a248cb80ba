/** Follows a listing page by page. A page that is not the last has to say where the next one begins. */
import { createUnavailable } from "./failures.ts"

export interface Paging<Page, Next> {
  /** The driver's name. */
  readonly name: string
  /** Asks for the first page, and for the one that `next` names. */
  readonly ask: (next: Next | undefined) => Promise<Page>
  /** Undefined after the last page. */
  readonly toNext: (page: Page) => Next | undefined
}

/** Rejects with `artifacts-unavailable` if a listing has no end. */
export async function* followPages<
  Page,
  Next extends Readonly<Record<string, string | undefined>>,
>({ ask, name, toNext }: Paging<Page, Next>): AsyncGenerator<Page, void, undefined> {
  let next: Next | undefined
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- a page says where the next one begins
    const page = await ask(next)
    yield page
    const following = toNext(page)
    if (following === undefined) return
    const isWhole = Object.values(following).every((value) => value !== undefined && value !== "")
    if (!isWhole || JSON.stringify(following) === JSON.stringify(next)) {
      throw createUnavailable(name, "a listing has no end")
    }
    next = following
  }
}
