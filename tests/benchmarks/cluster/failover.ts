/**
 * How long nothing is accepted while a Patroni cluster fails over. Callers submit through two nodes, each of which
 * repeats a submission under its key until it is accepted; the leader is killed, frozen, cut off and replaced as planned.
 * A gap is the longest time between two acceptances from the fault on, until all members follow again. `lost` counts
 * accepted tasks that are not there or did not succeed, `bought_twice` second purchases of a task and second tasks of a
 * submission. `SAFELIGHT_BENCHMARK_ROUNDS` times each, 5 by default.
 */
import { once } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import { execute } from "../../support/test-database.ts"
import { startPatroniCluster, type PatroniCluster } from "../../support/patroni-cluster.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { until } from "../../support/until.ts"
import { startServer } from "../child-server.ts"
import { median, report } from "../measure.ts"

const isQuick = process.argv.includes("--quick")
const ROUNDS = isQuick ? 1 : Number(process.env["SAFELIGHT_BENCHMARK_ROUNDS"] ?? 5)
const CALLERS = 4
/** Some hundred acceptances a second, so that the machine is left some time for three members. */
const PAUSE_MS = 20
const RETRY_MS = 20
/** As the client has it: an answer that takes longer is none. */
const ANSWER_MS = 60_000

interface Node {
  readonly url: string
  readonly key: string
}

interface Load {
  /** When each acceptance came. */
  readonly acceptedAt: readonly number[]
  /** The tasks that each submission was answered with. */
  readonly tasks: ReadonlyMap<string, ReadonlySet<string>>
  stop(): Promise<void>
}

function startLoad(nodes: readonly Node[]): Load {
  const acceptedAt: number[] = []
  const tasks = new Map<string, Set<string>>()
  const stopping = new AbortController()
  let count = 0
  const body = JSON.stringify({
    model: SAMPLE_REQUEST.model,
    parameters: SAMPLE_REQUEST.parameters,
  })

  async function submit({ key, url }: Node, submission: string): Promise<string | undefined> {
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": submission,
    }
    const signal = AbortSignal.timeout(ANSWER_MS)
    try {
      const response = await fetch(`${url}/v1/tasks`, { method: "POST", headers, body, signal })
      const { task_id: id } = (await response.json()) as { readonly task_id?: string }
      return response.status === 202 ? id : undefined
    } catch {
      return undefined
    }
  }

  async function call(caller: number): Promise<void> {
    while (!stopping.signal.aborted) {
      const submission = `submission-${(count += 1)}`
      for (let attempt = caller; ; attempt += 1) {
        const node = nodes[attempt % nodes.length]
        const id = node && (await submit(node, submission))
        if (id !== undefined) {
          acceptedAt.push(performance.now())
          tasks.set(submission, (tasks.get(submission) ?? new Set()).add(id))
          break
        }
        await pause(RETRY_MS)
      }
      await pause(PAUSE_MS)
    }
  }

  const calls = Array.from({ length: CALLERS }, (_, caller) => call(caller))
  return {
    acceptedAt,
    tasks,
    async stop() {
      stopping.abort()
      await Promise.all(calls)
    },
  }
}

const FAULTS = {
  killed: (cluster: PatroniCluster) => cluster.killLeader(),
  frozen: (cluster: PatroniCluster) => cluster.freezeLeader(),
  cut: (cluster: PatroniCluster) => cluster.cutLeader(),
  async switched(cluster: PatroniCluster) {
    await cluster.switchOver()
    return async () => {}
  },
}

async function measureGap(
  cluster: PatroniCluster,
  { acceptedAt }: Load,
  fault: (typeof FAULTS)[keyof typeof FAULTS],
): Promise<number> {
  const more = async (count: number): Promise<void> => {
    const goal = acceptedAt.length + count
    await until(() => acceptedAt.length >= goal)
  }
  await more(20)
  const former = (await cluster.leader()) ?? ""
  const first = acceptedAt.length - 1
  const mend = await fault(cluster)
  await cluster.succeeded(former)
  await more(20)
  await mend()
  await cluster.whole()
  await more(20)
  const times = acceptedAt.slice(first)
  return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)))
}

async function readPurchases(node: Awaited<ReturnType<typeof startServer<Node>>>) {
  node.process.send("purchases")
  const [keys] = (await once(node.process, "message")) as [readonly string[]]
  return keys
}

await using cluster = await startPatroniCluster({ ttlS: 20 })
await execute(cluster.url("postgres"), "create database bench")
const url = cluster.url("bench")
await using one = await startServer<Node>("failover-server", url)
await using other = await startServer<Node>("failover-server", url)
const load = startLoad([one.announcement, other.announcement])
const figures: Record<string, number> = {}
for (const [name, fault] of Object.entries(FAULTS)) {
  const gaps: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) gaps.push(await measureGap(cluster, load, fault))
  process.stderr.write(`${name}: ${gaps.map((gapMs) => Math.round(gapMs)).join(", ")} ms\n`)
  figures[`failover_gap_ms_${name}`] = median(gaps)
  figures[`failover_gap_ms_${name}_worst`] = Math.max(...gaps)
}
await load.stop()
const UNFINISHED = "select 1 from ready limit 1"
await until(async () => (await execute(url, UNFINISHED)).length === 0)
const rows = await execute<{ task: string; status: string }>(
  url,
  "select encode(task, 'hex') as task, status from tasks",
)
const statuses = new Map(rows.map(({ status, task }) => [task, status]))
const accepted = [...load.tasks.values()].flatMap((ids) => [...ids])
const keys = new Set([...(await readPurchases(one)), ...(await readPurchases(other))])
const bought = new Set([...keys].map((key) => key.slice(0, key.lastIndexOf("."))))
report({
  ...figures,
  accepted: accepted.length,
  lost: accepted.filter((id) => statuses.get(id.replaceAll("-", "")) !== "succeeded").length,
  bought_twice: keys.size - bought.size + rows.length - load.tasks.size,
})
