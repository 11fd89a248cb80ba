/**
 * The dashboard asks for what /metrics tells and nothing else: its metrics, their labels, and the values that
 * a query names. A query of a metric that was renamed would only show an empty panel.
 */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import type { PollOutcome, QueueMeasure, SubmitOutcome, TaskEvent } from "@safelight/core"
import { ROOT } from "../../architecture/workspaces.ts"
import { listLabels, readEveryMetric } from "./every-metric.ts"

const FILE = join(ROOT, "packages/safelight/dashboards/safelight.json")

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly definition?: string }[]
  }
}

const dashboard = JSON.parse(readFileSync(FILE, "utf8")) as Dashboard
const targets = dashboard.panels.flatMap(({ targets: each = [], title }) =>
  each.map((target) => ({ title, ...target })),
)

/** Labels that Prometheus adds to what it scrapes. */
const SCRAPED = ["job", "instance"]

/** What a label with few values may be; the compiler holds those to the types that they come from. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  call: ["submit", "poll"],
  state: ["waiting", "held"] satisfies (keyof QueueMeasure)[],
  status: ["2xx", "3xx", "4xx", "5xx"],
  type: [
    "submitted",
    "dispatched",
    "accepted",
    "doubted",
    "deferred",
    "progressed",
    "succeeded",
    "failed",
    "expired",
  ] satisfies TaskEvent["type"][],
  method: ["POST"],
  route: ["/v1/tasks"],
}
const CALL_OUTCOMES: readonly (SubmitOutcome["kind"] | PollOutcome["kind"] | "unknown")[] = [
  "accepted",
  "running",
  "completed",
  "refused",
  "not-created",
  "busy",
  "pending",
  "unknown",
]
const COMMIT_OUTCOMES = ["committed", "failed"]

interface Selector {
  readonly metric: string
  readonly matchers: readonly { readonly label: string; readonly values: readonly string[] }[]
}

function findSelectors(expr: string): Selector[] {
  return Array.from(
    expr.matchAll(/([a-z_][a-z0-9_]*)\{([^}]*)\}/g),
    ([, metric = "", inner = ""]) => ({
      metric,
      matchers: Array.from(
        inner.matchAll(/(\w+)(?:=~|!=|=)"([^"]*)"/g),
        ([, label = "", text = ""]) => ({
          label,
          values: text.split("|"),
        }),
      ),
    }),
  )
}

function findGrouped(expr: string): string[] {
  return Array.from(expr.matchAll(/ by \(([^)]*)\)/g), ([, labels = ""]) =>
    labels.split(", "),
  ).flat()
}

function toValues(metric: string, label: string): readonly string[] | undefined {
  if (label !== "outcome") return VALUES[label]
  return metric.startsWith("safelight_commit_") ? COMMIT_OUTCOMES : CALL_OUTCOMES
}

describe("the dashboard", async () => {
  const families = await readEveryMetric()

  function findFamily(metric: string) {
    return families.find(({ name, type }) => {
      const suffixes = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]
      return suffixes.some((suffix) => metric === name + suffix)
    })
  }

  function listKnown(metric: string): readonly string[] {
    const family = findFamily(metric) ?? assert.fail(`/metrics has no ${metric}`)
    const own = metric.endsWith("_bucket") ? [...listLabels(family), "le"] : listLabels(family)
    return [...own, ...SCRAPED]
  }

  function checkSelector(title: string, { matchers, metric }: Selector): void {
    const known = listKnown(metric)
    assert.equal(matchers[0]?.label, "job", title)
    for (const { label, values } of matchers) {
      assert.ok(known.includes(label), `${title}: ${metric} has no ${label}`)
      // What a label of a code or a job may be is open.
      if (label === "job" || label === "code") continue
      const possible = toValues(metric, label) ?? assert.fail(`${title}: ${label}`)
      for (const value of values) assert.ok(possible.includes(value), `${title}: ${label} ${value}`)
    }
  }

  it("asks for metrics that there are, by labels that they have, and values that those have", () => {
    assert.ok(targets.length > 25)
    for (const { expr, title } of targets) {
      const selectors = findSelectors(expr)
      assert.notEqual(selectors.length, 0, title)
      for (const selector of selectors) {
        checkSelector(title, selector)
        const known = listKnown(selector.metric)
        for (const label of findGrouped(expr))
          assert.ok(known.includes(label), `${title}: ${label}`)
      }
    }
  })

  it("chooses among the jobs that a scrape has told of", () => {
    const { definition = "" } = dashboard.templating.list.find(({ name }) => name === "job") ?? {}
    const [, metric = ""] = /^label_values\((\w+), job\)$/.exec(definition) ?? []
    assert.ok(findFamily(metric) !== undefined, definition)
  })

  it("names in each legend only what its query groups by", () => {
    for (const { expr, legendFormat, title } of targets) {
      const shown = Array.from(legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, label = ""]) => label)
      const grouped = findGrouped(expr).filter((label) => label !== "le")
      assert.deepEqual(shown.toSorted(), [...new Set(grouped)].toSorted(), title)
    }
  })

  it("takes rates of counters and histograms, and of nothing else", () => {
    for (const { expr, title } of targets) {
      for (const { metric } of findSelectors(expr)) {
        const isRate = expr.includes(`rate(${metric}{`)
        assert.equal(
          isRate,
          findFamily(metric)?.type !== "gauge" && metric !== "",
          `${title}: ${metric}`,
        )
      }
    }
  })

  it("shows every metric of ours", () => {
    const asked = targets.flatMap(({ expr }) =>
      findSelectors(expr).map(({ metric }) => findFamily(metric)?.name),
    )
    const ours = families.map(({ name }) => name).filter((name) => name.startsWith("safelight_"))
    assert.deepEqual(
      ours.filter((name) => !asked.includes(name)),
      [],
    )
  })

  it("has panels with ids of their own that do not overlap, each with a title", () => {
    const { panels } = dashboard
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const cells = panels.flatMap(({ gridPos: { h, w, x, y }, title, type }) => {
      assert.ok(title !== "" && x + w <= 24, title)
      assert.equal(type === "row", h === 1, title)
      return Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`)
    })
    assert.equal(new Set(cells).size, cells.length)
  })
})
