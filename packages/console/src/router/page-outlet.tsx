/** Shows the page of the route. A page whose module can't be fetched says so and can be tried again. */
import { useSignal } from "@preact/signals"
import type { ComponentType, JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Empty } from "../design/empty.tsx"
import { Failure } from "../design/failure.tsx"
import { Waiting } from "../design/waiting.tsx"
import { FIRST_PAGE, PAGES, type PageEntry, type PageProps } from "./pages.ts"
import { route } from "./route.ts"

interface Fetched {
  readonly load: PageEntry["load"]
  readonly Page?: ComponentType<PageProps>
  readonly error?: unknown
}

export function PageOutlet(): JSX.Element {
  const [segment = FIRST_PAGE, ...rest] = route.value.path
  const entry = PAGES.find((each) => each.segment === segment)
  const load = rest.length === 0 ? entry?.load : entry?.loadOne
  const fetched = useSignal<Fetched | undefined>(undefined)

  const fetchPage = (wanted: PageEntry["load"]): void => {
    fetched.value = undefined
    wanted().then(
      ({ Page }) => (fetched.value = { load: wanted, Page }),
      (error: unknown) => (fetched.value = { load: wanted, error }),
    )
  }

  useEffect(() => {
    document.title = entry === undefined ? "Safelight" : `${entry.title} · Safelight`
    if (load !== undefined) fetchPage(load)
  }, [load])

  if (load === undefined) return <NoPage />
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
      <a href={`#/${FIRST_PAGE}`}>Go to the first page</a>
    </Empty>
  )
}
