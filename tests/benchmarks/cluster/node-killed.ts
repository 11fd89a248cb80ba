/**
 * How long the work of a lost node stands still. An account may run two tasks, and the first of two services over one
 * PostgreSQL database has both, of five seconds each. It is killed, or frozen for good; the second takes them over and
 * begins them anew. The gap is from the loss to the first success, without those five seconds: the longest of all
 * rounds.
 */
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { createClient } from "@safelight/client"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { startServer } from "../child-server.ts"
import { createDatabase, openServer, SERVER_URL } from "../postgres/database.ts"

const isQuick = process.argv.includes("--quick")
const ROUNDS = isQuick ? 1 : 4
const WORK_MS = 5_000
const MODEL = "vendor-a/v4.1/flash/text-to-image"

interface Node {
  readonly url: string
  readonly key: string
}

async function measureGap(signal: "SIGKILL" | "SIGSTOP", round: number): Promise<number> {
  await using database = await createDatabase("cluster")
  await using folder = await createTemporaryFolder()
  const data = join(folder.path, "data")
  const start = (): ReturnType<typeof startServer<Node>> =>
    startServer<Node>("node-server", database.url, data)
  const first = await start()
  const client = createClient(first.announcement)
  const submit = (): Promise<{ readonly task_id: string }> =>
    client.submit(MODEL, { prompt: `[studio: delay ${WORK_MS / 1_000}s] fog` })
  const tasks = await Promise.all([submit(), submit()])
  await using second = await start()
  const { url } = second.announcement
  const other = createClient({ url, key: first.announcement.key })
  // Each round at another moment between two heartbeats.
  await setTimeout(1_000 + round * 500)
  first.process.kill(signal)
  const lostAt = performance.now()
  await Promise.race(tasks.map(({ task_id: id }) => other.wait(id)))
  const gapMs = performance.now() - lostAt - WORK_MS
  first.process.kill("SIGKILL")
  if (first.process.exitCode === null && first.process.signalCode === null) {
    await once(first.process, "exit")
  }
  return gapMs
}

async function measureLongest(signal: "SIGKILL" | "SIGSTOP"): Promise<number> {
  const gaps: number[] = []
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (let round = 0; round < ROUNDS; round += 1) gaps.push(await measureGap(signal, round))
  return Math.max(...gaps)
}

await using server = await openServer(process.env["SAFELIGHT_TEST_DATABASE_URL"])
process.env[SERVER_URL] = server.url
const figures = {
  node_killed_gap_ms: await measureLongest("SIGKILL"),
  node_frozen_gap_ms: await measureLongest("SIGSTOP"),
}
process.stdout.write(`${JSON.stringify(figures)}\n`)
