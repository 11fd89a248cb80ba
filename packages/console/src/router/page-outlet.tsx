/** Shows the page of the route. A page whose module can't be fetched says so and can be tried again. */
import { useSignal } from "@preact/signals"
import type { ComponentType, JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Empty } from "../design/empty.tsx"
import { Failure } from "../design/failure.tsx"
import { Waiting } from "../design/waiting.tsx"
import { hasScope } from "../session/me.ts"
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
  return <FetchedPage load={load} rest={rest} />
}

interface FetchedPageProps extends PageProps {
  readonly load: PageEntry["load"]
}

interface Fetched {
  readonly load: PageEntry["load"]
  readonly Page?: ComponentType<PageProps>
  readonly error?: unknown
}

function FetchedPage({ load, rest }: FetchedPageProps): JSX.Element {
  const fetched = useSignal<Fetched | undefined>(undefined)

  const fetchPage = (wanted: PageEntry["load"]): void => {
    fetched.value = undefined
    wanted().then(
      ({ Page }) => (fetched.value = { load: wanted, Page }),
      (error: unknown) => (fetched.value = { load: wanted, error }),
    )
  }

  useEffect(() => fetchPage(load), [load])

  const known = fetched.value?.load === load ? fetched.value : undefined
  if (known?.error !== undefined) {
    return <Failure error={known.error} onRetry={() => fetchPage(load)} />
  }
  const Page = known?.Page
  if (Page === undefined) return <Waiting />
  // Another task is another page: nothing of the one before stays.
  return <Page key={rest.join("/")} rest={rest} />
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
