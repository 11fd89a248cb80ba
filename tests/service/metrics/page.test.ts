/** The page for operators lists the metrics as a scrape tells them, named by Prometheus' conventions. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { ROOT } from "../../architecture/workspaces.ts"
import { listLabels, readEveryMetric } from "./every-metric.ts"

const PAGE = "packages/safelight/docs/operating.md"

interface Row {
  readonly type: string
  readonly labels: readonly string[]
}

function readRows(): ReadonlyMap<string, Row> {
  const text = readFileSync(join(ROOT, PAGE), "utf8")
  const rows = text.matchAll(/^- `(safelight_\w+)`, (\w+)(?: \(([^)]*)\))?:/gm)
  return new Map(
    Array.from(rows, ([, name = "", type = "", labels = ""]) => {
      const names = Array.from(labels.matchAll(/`(\w+)`/g), ([, label = ""]) => label)
      return [name, { type, labels: names.toSorted() }] as const
    }),
  )
}

const isOurs = ({ name }: { readonly name: string }): boolean => name.startsWith("safelight_")

describe("the metrics of the page for operators", () => {
  it("are those of the registry, with their types and labels", async () => {
    const families = (await readEveryMetric()).filter(isOurs)
    assert.ok(families.length > 10)
    const told = families.map((family) => {
      assert.notEqual(family.samples.length, 0, `${family.name} has no series here`)
      return [family.name, { type: family.type, labels: listLabels(family) }] as const
    })
    assert.deepEqual(Object.fromEntries(readRows()), Object.fromEntries(told))
  })

  it("have base units, and `_total` where they are counters and nowhere else", async () => {
    for (const { name, type } of (await readEveryMetric()).filter(isOurs)) {
      assert.equal(name.endsWith("_total"), type === "counter", name)
      assert.doesNotMatch(name, /_(?:ms|millis\w*|minutes|hours|kb|mb|kib|mib|percent)(?:_|$)/)
      if (name.includes("duration")) assert.match(name, /_seconds$/)
    }
  })
})
