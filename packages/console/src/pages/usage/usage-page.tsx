/** What the account spends: by day as a plot and as a table, by model, and against its budget. */
import type { Client, UsageReport } from "@safelight/client"
import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { Empty } from "../../design/empty.tsx"
import { Facts, type Fact } from "../../design/facts.tsx"
import { Failure } from "../../design/failure.tsx"
import { formatMoney, Money } from "../../design/money.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { PlainTable } from "../../design/plain-table.tsx"
import { Plot } from "../../design/plot.tsx"
import { Waiting } from "../../design/waiting.tsx"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import { toDays } from "./days.ts"

const DAYS = 14

interface Usage {
  readonly whole: UsageReport
  readonly days: readonly UsageReport[]
}

async function loadUsage(client: Client, signal: AbortSignal): Promise<Usage> {
  const days = toDays(new Date(), DAYS)
  const from = days[0]?.from
  const [whole, ...each] = await Promise.all([
    client.usage({ from }, { signal }),
    ...days.map((day) => client.usage(day, { signal })),
  ])
  return { whole, days: each }
}

export function Page(): JSX.Element {
  const client = useClient()
  const { state, reload } = useLoaded((signal) => loadUsage(client, signal), [client])
  const { value: usage, error } = state.value
  return (
    <div class="stack">
      <PageHead title="Usage" />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {usage === undefined ? error === undefined && <Waiting /> : <Report usage={usage} />}
    </div>
  )
}

function Report({ usage: { whole, days } }: { readonly usage: Usage }): JSX.Element {
  return (
    <>
      <div class="cards">
        <section class="card" aria-labelledby="spent">
          <h2 id="spent">The last {DAYS} days</h2>
          <Facts
            facts={[
              ["Charged", <Money micros={whole.charge_micros} />],
              ["Tasks", String(whole.tasks)],
            ]}
          />
        </section>
        <section class="card" aria-labelledby="account">
          <h2 id="account">The account now</h2>
          <Facts facts={toAccountFacts(whole.account)} />
        </section>
      </div>
      <section class="card stack" aria-labelledby="days">
        <h2 id="days">By day</h2>
        <DayPlot days={days} />
        <details>
          <summary>As a table</summary>
          <DayTable days={days} />
        </details>
      </section>
      <section class="card stack" aria-labelledby="models">
        <h2 id="models">By model</h2>
        {whole.charges.length === 0 ? (
          <Empty title="Nothing was charged" />
        ) : (
          <ModelTable charges={whole.charges} />
        )}
      </section>
    </>
  )
}

function DayPlot({ days }: { readonly days: readonly UsageReport[] }): JSX.Element {
  const series = useMemo(
    () => [
      {
        title: "Charged",
        values: days.map(({ charge_micros: micros }) => micros / 1_000_000),
        color: "--accent",
      },
    ],
    [days],
  )
  const atSeconds = useMemo(() => days.map(({ from }) => from), [days])
  return (
    <Plot
      label={`Charged by day over the last ${DAYS} days`}
      atSeconds={atSeconds}
      series={series}
      kind="bars"
      format={(value) => formatMoney(value * 1_000_000)}
    />
  )
}

const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })

function DayTable({ days }: { readonly days: readonly UsageReport[] }): JSX.Element {
  const rows = days.map(({ from, tasks, charge_micros: micros }) => {
    return { id: `${from}`, name: date.format(from * 1000), tasks, micros }
  })
  return <ChargeTable title="Day" rows={rows} />
}

function ModelTable({ charges }: Pick<UsageReport, "charges">): JSX.Element {
  const rows = charges.map(({ model, price_version: version, tasks, charge_micros: micros }) => {
    const name = (
      <>
        {model} <span class="soft small">{version}</span>
      </>
    )
    return { id: `${model} ${version}`, name, tasks, micros }
  })
  return <ChargeTable title="Model" rows={rows} />
}

interface ChargeRow {
  readonly id: string
  readonly name: JSX.Element | string
  readonly tasks: number
  readonly micros: number
}

interface ChargeTableProps {
  /** What the rows are about. */
  readonly title: string
  readonly rows: readonly ChargeRow[]
}

function ChargeTable({ title, rows }: ChargeTableProps): JSX.Element {
  return (
    <PlainTable
      label={`Tasks and charges: ${title.toLowerCase()}`}
      titles={[title, "Tasks", "Charged"]}
      rows={rows.map(({ id, name, tasks, micros }) => ({
        id,
        cells: [name, tasks, <Money micros={micros} />],
      }))}
    />
  )
}

function toAccountFacts(account: UsageReport["account"]): Fact[] {
  const { budget_micros: budget, charged_micros, reserved_micros, unfinished_tasks } = account
  return [
    ["Budget", budget === null ? "none" : <Money micros={budget} />],
    ["Charged in all", <Money micros={charged_micros} />],
    ["Reserved", <Money micros={reserved_micros} />],
    ["Unfinished tasks", String(unfinished_tasks)],
  ]
}
