/**
 * What a scrape tells of a service that signs its log: its tree and checkpoints if it has the key, nothing of them
 * without one, and why nothing was signed or a copy did not take a checkpoint.
 */
import assert from "node:assert/strict"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { SILENT_LOG } from "@safelight/core"
import { signCheckpoint } from "@safelight/proof"
import { createSignerKey, openSignerKey } from "@safelight/proof/node"
import { createService, DEFAULTS, type Configuration, type Service } from "safelight"
import { demand } from "../../proof/signed-tasks.ts"
import { until } from "../../support/until.ts"
import { temporaryFolder } from "../command/command-process.ts"
import { edit, recordTasks } from "../command/recorded-tasks.ts"
import { parsePrometheusText, readSample } from "./prometheus-text.ts"

const ORIGIN = "media.example/log"
const FAILURES = "safelight_signing_failures_total"

interface World {
  /** How many the tasks that were recorded have. */
  readonly events: number
  /** The value of a metric; undefined if it has no series. */
  read(name: string, labels?: Readonly<Record<string, string>>): Promise<number | undefined>
}

/** A service over two finished tasks, with metrics. */
async function createWorld(
  t: TestContext,
  folder: string,
  checkpoints: Configuration["checkpoints"],
): Promise<World> {
  const data = join(folder, "data")
  const tasks = await recordTasks(data, [edit(1), edit(2)])
  const settings = { data, port: 0, metricsPort: 0, logLevel: "silent" as const, checkpoints }
  const configuration = { ...DEFAULTS, ...settings }
  const service = await createService({ configuration, adopt: true, log: SILENT_LOG })
  t.after(() => service.stop())
  return {
    events: await countEvents(service, tasks),
    async read(name, labels) {
      const answer = await fetch(`${service.metricsUrl}/metrics`)
      return readSample(parsePrometheusText(await answer.text()), name, labels)
    },
  }
}

async function countEvents({ storage }: Service, tasks: readonly string[]): Promise<number> {
  const heads = await Promise.all(tasks.map((task) => storage.readTask(task)))
  return heads.reduce((sum, head) => sum + (head ?? assert.fail()).task.version, 0)
}

/** The address of a receiver of checkpoints that takes none. */
async function startRefusingReceiver(t: TestContext): Promise<string> {
  const server = createServer((_, answer) => answer.writeHead(503).end())
  t.after(() => server.close())
  await once(server.listen(0, "127.0.0.1"), "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const isTold = (value: number | undefined): boolean => value !== undefined

// At once, since each may wait two seconds until a scrape measures again.
describe("the metrics of a signed log", { concurrency: true }, () => {
  it("tell its leaves, that none waits, and how old the checkpoint is", async (t) => {
    const signingKey = createSignerKey(ORIGIN)
    const { events, read } = await createWorld(t, await temporaryFolder(t), { signingKey })
    const age = await until(() => read("safelight_checkpoint_age_seconds"), isTold)
    assert.ok(age !== undefined && age >= 0, String(age))
    assert.ok(events > 0)
    assert.equal(await until(() => read("safelight_tree_leaves"), isTold), events)
    assert.equal(await read("safelight_tree_waiting_events"), 0)
    assert.equal(await read(FAILURES), undefined)
  })

  it("have no series if the service has no key", async (t) => {
    const { read } = await createWorld(t, await temporaryFolder(t), {})
    assert.equal(await read("safelight_storage_up"), 1)
    const names = ["tree_leaves", "tree_waiting_events", "checkpoint_age_seconds"]
    for (const name of names) assert.equal(await read(`safelight_${name}`), undefined, name)
    assert.equal(await read(FAILURES), undefined)
  })

  it("count a checkpoint that is refused", async (t) => {
    const folder = await temporaryFolder(t)
    const signingKey = createSignerKey(ORIGIN)
    const signer = demand(openSignerKey(signingKey))
    const longer = { origin: ORIGIN, size: 1_000, root: new Uint8Array(32), extensions: [] }
    const note = await signCheckpoint(longer, [signer], 0)
    const copy = join(folder, "kept.jsonl")
    await writeFile(copy, `${JSON.stringify({ at: 0, size: 1_000, note })}\n`)
    const { events, read } = await createWorld(t, folder, { signingKey, copies: [copy] })
    const labels = { step: "sign", code: "shorter-tree" }
    assert.equal(await until(() => read(FAILURES, labels), isTold), 1)
    assert.equal(await until(() => read("safelight_tree_leaves"), isTold), events)
    assert.equal(await read("safelight_checkpoint_age_seconds"), undefined)
  })

  it("count a copy that can't be read, without which nothing is signed", async (t) => {
    const folder = await temporaryFolder(t)
    const copy = join(folder, "kept.jsonl")
    await writeFile(copy, "no checkpoint\n")
    const checkpoints = { signingKey: createSignerKey(ORIGIN), copies: [copy] }
    const { read } = await createWorld(t, folder, checkpoints)
    const labels = { step: "sign", code: "storage-corrupt" }
    assert.equal(await until(() => read(FAILURES, labels), isTold), 1)
    assert.equal(await read("safelight_checkpoint_age_seconds"), undefined)
  })

  it("count each copy that does not take a checkpoint, which is signed all the same", async (t) => {
    const folder = await temporaryFolder(t)
    const copies = [await startRefusingReceiver(t), join(folder, "missing", "kept.jsonl")]
    const signingKey = createSignerKey(ORIGIN)
    const { read } = await createWorld(t, folder, { signingKey, copies })
    const ofStep = (code: string) => read(FAILURES, { step: "copy", code })
    assert.equal(await until(() => ofStep("storage-unavailable"), isTold), 1)
    assert.equal(await ofStep("unexpected"), 1)
    assert.ok(isTold(await until(() => read("safelight_checkpoint_age_seconds"), isTold)))
  })
})
