/** Shows the page of the route. A page whose module can't be fetched says so and can be tried again. */
import { useSignal } from "@preact/signals"
import type { ComponentType, JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Empty } from "../design/empty.tsx"
import { Failure } from "../design/failure.tsx"
import { Waiting } from "../design/waiting.tsx"
import { isOperator } from "../session/operator.ts"
import { FIRST_PAGE, PAGES, type PageEntry, type PageProps } from "./pages.ts"
import { route } from "./route.ts"

export function PageOutlet(): JSX.Element {
  const [segment = FIRST_PAGE, ...rest] = route.value.path
  const entry = PAGES.find((each) => each.segment === segment)
  const load = rest.length === 0 ? entry?.load : entry?.loadOne

  useEffect(() => {
    document.title = entry === undefined ? "Safelight" : `${entry.title} · Safelight`
  }, [entry])

  if (load === undefined) return <NoPage />
  if (entry?.isOperators === true && isOperator.value !== true) {
    return isOperator.value === undefined ? <Waiting /> : <OperatorsOnly />
  }
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
      <a href={`#/${FIRST_PAGE}`}>Go to the first page</a>
    </Empty>
  )
}

function OperatorsOnly(): JSX.Element {
  return (
    <Empty isPage title="This page is for operators">
      It needs a key with the scope <code>admin</code>.
    </Empty>
  )
}
