/** Shows the page of the route. A page whose module can't be fetched says so and can be tried again. */
import type { JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Empty } from "../design/empty.tsx"
import { Failure } from "../design/failure.tsx"
import { Waiting } from "../design/waiting.tsx"
import { hasScope } from "../session/me.ts"
import { useLoaded } from "../session/use-loaded.ts"
import { firstPage } from "./first-page.ts"
import { PAGES, type PageEntry, type PageProps } from "./pages.ts"
import { route } from "./route.ts"

export function PageOutlet(): JSX.Element {
  const [segment = firstPage.value, ...rest] = route.value.path
  const entry = PAGES.find((each) => each.segment === segment)
  const load = rest.length === 0 ? entry?.load : entry?.loadOne

  useEffect(() => {
    document.title = entry === undefined ? "Safelight" : `${entry.title} · Safelight`
  }, [entry])

  if (segment === undefined) return <Waiting />
  if (entry === undefined || load === undefined) return <NoPage />
  const isAllowed = hasScope(entry.scope)
  if (isAllowed === false) return <NotAllowed entry={entry} />
  // Of an operator's pages nothing is asked before it is known whose key it is.
  if (isAllowed === undefined && entry.scope === "admin") return <Waiting />
  // A module that comes late is not shown in the place of the page that was gone to meanwhile.
  return <FetchedPage key={`${segment}/${rest.length > 0}`} load={load} rest={rest} />
}

interface FetchedPageProps extends PageProps {
  readonly load: PageEntry["load"]
}

function FetchedPage({ load, rest }: FetchedPageProps): JSX.Element {
  const { state, reload } = useLoaded(() => load().catch(explain), [])
  const { value, error } = state.value
  if (error !== undefined) return <Failure error={error} onRetry={() => void retry(reload)} />
  if (value === undefined) return <Waiting />
  // Another task is another page: nothing of the one before stays.
  return <value.Page key={rest.join("/")} rest={rest} />
}

/** The browser's own words name a file that tells the reader nothing. */
function explain(cause: unknown): never {
  throw new Error("This page can’t be fetched.", { cause })
}

/**
 * Loads the whole console anew, at the same route: some browsers ask for a module once and remember that it failed, and
 * after an upgrade its file is gone. While the service can't be reached the console stays as it is.
 */
async function retry(loadAgain: () => void): Promise<void> {
  const isThere = await fetch(location.pathname, { method: "HEAD", cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  )
  if (isThere) location.reload()
  else loadAgain()
}

function NoPage(): JSX.Element {
  return (
    <Empty isPage title="There is no such page">
      <a href="#/">Go to the first page</a>
    </Empty>
  )
}

function NotAllowed({ entry: { scope } }: { readonly entry: PageEntry }): JSX.Element {
  const whose = scope === "admin" ? "This page is for operators" : "This key can't use this page"
  return (
    <Empty isPage title={whose}>
      It needs a key with the scope <code>{scope}</code>.
    </Empty>
  )
}
