/** For an operator: which channels make a model, what it brought in, and which of its tasks failed last. */
import type { Channel, Client, OperatorTask, OperatorUsage } from "@safelight/client"
import type { JSX } from "preact"
import { Facts } from "../../design/facts.tsx"
import { Failure } from "../../design/failure.tsx"
import { Cost, Margin, Money } from "../../design/money.tsx"
import { Moment } from "../../design/moment.tsx"
import { PlainTable } from "../../design/plain-table.tsx"
import { Waiting } from "../../design/waiting.tsx"
import { toHref } from "../../router/route.ts"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"

const DAYS = 30
const DAY_MS = 86_400_000
const FAILURES = 10

interface Standing {
  readonly channels: readonly Channel[]
  /** Undefined if nothing ended in the period. */
  readonly sums: OperatorUsage["rows"][number] | undefined
  readonly failures: readonly OperatorTask[]
}

export function OperatorPanels({ model }: { readonly model: string }): JSX.Element {
  const client = useClient()
  const { state, reload } = useLoaded(
    (signal) => loadStanding(client, model, signal),
    [client, model],
  )
  const { value, error } = state.value
  if (error !== undefined) return <Failure error={error} onRetry={reload} />
  if (value === undefined) return <Waiting />
  return (
    <>
      <section class="card stack" aria-labelledby="channels">
        <h2 id="channels">Who makes it</h2>
        <Channels model={model} channels={value.channels} />
      </section>
      <section class="card stack" aria-labelledby="margin">
        <h2 id="margin">The last {DAYS} days</h2>
        <Sums sums={value.sums} />
      </section>
      <section class="card stack" aria-labelledby="failures">
        <h2 id="failures">Last failures</h2>
        <Failures tasks={value.failures} />
      </section>
    </>
  )
}

async function loadStanding(client: Client, model: string, signal: AbortSignal): Promise<Standing> {
  const { admin } = client
  const from = Math.floor((Date.now() - DAYS * DAY_MS) / 1_000)
  const [channels, { rows }, failed] = await Promise.all([
    admin.channels({ signal }),
    admin.usage({ by: "model", from }, { signal }),
    admin.tasks({ model, status: "failed", limit: FAILURES }, { signal }),
  ])
  return {
    channels: channels.filter(({ models }) => models?.includes(model)),
    sums: rows.find(({ name }) => name === model),
    failures: failed.tasks,
  }
}

interface ChannelsProps extends Pick<Standing, "channels"> {
  readonly model: string
}

function Channels({ channels, model }: ChannelsProps): JSX.Element {
  if (channels.length === 0) return <p>No channel of the configuration makes it.</p>
  const rows = channels
    .toSorted((one, other) => (one.tier ?? 0) - (other.tier ?? 0))
    .map(({ name, left_out: leftOut, state, tier, type, upstreams, weight }) => ({
      id: name,
      cells: [
        name,
        type ?? "",
        <code>{upstreams[model] ?? ""}</code>,
        tier ?? "",
        weight ?? "",
        leftOut ?? state,
      ],
    }))
  return (
    <PlainTable
      label="Channels"
      titles={["Channel", "Type", "Its name there", "Tier", "Weight", "State"]}
      rows={rows}
    />
  )
}

function Sums({ sums }: Pick<Standing, "sums">): JSX.Element {
  if (sums === undefined) return <p>None of its tasks has ended.</p>
  const { charge_micros: charged, cost_micros: cost, unknown_costs: unknownCosts } = sums
  return (
    <Facts
      facts={[
        ["Succeeded", String(sums.succeeded)],
        ["Failed", String(sums.failed)],
        ["Charged", <Money micros={charged} />],
        ["Cost", <Cost micros={cost} unknownCosts={unknownCosts} />],
        ["Margin", <Margin micros={sums.margin_micros} unknownCosts={unknownCosts} />],
      ]}
    />
  )
}

/** A page of the list may be short though there are more: those are on the page of all tasks. */
function Failures({ tasks }: { readonly tasks: readonly OperatorTask[] }): JSX.Element {
  if (tasks.length === 0) return <p>None is known.</p>
  const rows = tasks.map(({ account, created_at: at, error, task_id: id }) => ({
    id,
    cells: [
      <a href={toHref(["all-tasks", id])}>
        <Moment atMs={at * 1000} />
      </a>,
      <bdi>{account}</bdi>,
      <code>{error?.code}</code>,
      <bdi>{error?.message}</bdi>,
    ],
  }))
  return <PlainTable label="Failures" titles={["Made", "Account", "Code", "Why"]} rows={rows} />
}
