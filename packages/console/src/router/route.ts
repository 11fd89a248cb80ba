/**
 * The route, read from the fragment: `#/tasks/ID?status=failed`. Only the fragment changes as the reader goes about, so
 * the service serves one page and never sees where the reader is.
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals"

export interface Route {
  /** Decoded segments: `["tasks", ID]`. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

const fragment = signal(location.hash)
addEventListener("hashchange", () => (fragment.value = location.hash))

export const route: ReadonlySignal<Route> = computed(() => parseRoute(fragment.value))

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split(/\?(.*)/s)
  return {
    path: path
      .split("/")
      .filter((segment) => segment !== "")
      .map(decode),
    query: new URLSearchParams(query),
  }
}

/** The address of a route within the page, for `href`. Empty and undefined values of the query are left out. */
export function toHref(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  )
  const search = new URLSearchParams(given).toString()
  return `#/${path.map(encodeURIComponent).join("/")}${search === "" ? "" : `?${search}`}`
}

export function goTo(href: string): void {
  location.hash = href
}

/** Changes the address without a step in the browser's history: for filters. */
export function replaceRoute(href: string): void {
  history.replaceState(null, "", href)
  fragment.value = location.hash
}

/** A hand-made address may hold a `%` that escapes nothing. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
