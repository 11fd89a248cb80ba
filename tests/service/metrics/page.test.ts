/** The page for operators lists the metrics as a scrape tells them, named by Prometheus' conventions. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { SafelightError, type ArtifactStorage } from "@safelight/core"
import {
  createManualClock,
  createMemoryArtifacts,
  createMemoryStorage,
  createScriptedChannel,
  submitSample,
} from "@safelight/testkit"
import { createMetrics } from "safelight"
import { ROOT } from "../../architecture/workspaces.ts"
import { parsePrometheusText, type Family } from "./prometheus-text.ts"

const PAGE = "packages/safelight/docs/operating.md"

interface Row {
  readonly type: string
  readonly labels: readonly string[]
}

function readRows(): ReadonlyMap<string, Row> {
  const text = readFileSync(join(ROOT, PAGE), "utf8")
  const rows = text.matchAll(/^\| `(safelight_\w+)` +\| (\w+) +\|([^|]*)\|/gm)
  return new Map(
    Array.from(rows, ([, name = "", type = "", labels = ""]) => {
      const names = Array.from(labels.matchAll(/`(\w+)`/g), ([, label = ""]) => label)
      return [name, { type, labels: names.toSorted() }] as const
    }),
  )
}

/** Every metric of ours, each with a series. */
async function readMetrics(): Promise<readonly Family[]> {
  const metrics = createMetrics({ clock: createManualClock() })
  const memory = createMemoryStorage()
  const storage = metrics.observeStorage(memory)
  const { append } = submitSample({ id: "task-1" })
  await storage.append(append)
  memory.failAppends(1)
  await assert.rejects(storage.append(append))
  const failing: ArtifactStorage["remove"] = () =>
    Promise.reject(new SafelightError({ code: "aborted", message: "away" }))
  const artifacts = metrics.observeArtifacts({ ...createMemoryArtifacts(), remove: failing })
  await assert.rejects(artifacts.remove("locator"))
  const channel = metrics.observeChannel(createScriptedChannel({ submits: [] }))
  await assert.rejects(channel.submit({} as Parameters<typeof channel.submit>[0]))
  metrics.onCommit({ changes: 1, durationMs: 1 })
  metrics.onAnswered({
    requestId: "1",
    method: "GET",
    route: "/v1/tasks",
    status: 200,
    durationMs: 1,
    sentBytes: 1,
    isComplete: true,
    account: undefined,
    task: undefined,
  })
  const families = parsePrometheusText((await metrics.scrape()).text)
  return [...families.values()].filter(({ name }) => name.startsWith("safelight_"))
}

function listLabels({ samples }: Family): readonly string[] {
  const names = new Set(samples.flatMap(({ labels }) => Object.keys(labels)))
  names.delete("le")
  return [...names].toSorted()
}

describe("the metrics of the page for operators", () => {
  it("are those of the registry, with their types and labels", async () => {
    const families = await readMetrics()
    assert.ok(families.length > 10)
    const told = families.map((family) => {
      assert.notEqual(family.samples.length, 0, `${family.name} has no series here`)
      return [family.name, { type: family.type, labels: listLabels(family) }] as const
    })
    assert.deepEqual(Object.fromEntries(readRows()), Object.fromEntries(told))
  })

  it("have base units, and `_total` where they are counters and nowhere else", async () => {
    for (const { name, type } of await readMetrics()) {
      assert.equal(name.endsWith("_total"), type === "counter", name)
      assert.doesNotMatch(name, /_(?:ms|millis\w*|minutes|hours|kb|mb|kib|mib|percent)(?:_|$)/)
      if (name.includes("duration")) assert.match(name, /_seconds$/)
    }
  })
})
