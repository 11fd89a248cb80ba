/** What a drill found, for people: one screen, with the first findings of each kind; `--json` has more of them. */
import { describeFinding, type DrillReport } from "@safelight/audit"
import type { DrillResult } from "../audits/run-drill.ts"
import { formatAmount } from "./amount.ts"
import { toArtifactRows } from "./drill-artifact-text.ts"
import { toLossRows } from "./drill-loss-text.ts"
import { formatCount } from "./count.ts"
import { toFoundRows, type DrillRow } from "./drill-rows.ts"
import { formatOutcome } from "./report-lines.ts"
import { formatTable } from "./table.ts"

const STEPS = {
  bought: "asked for: nothing is bought yet, as far as it knows",
  followed: "followed by the channel's operation",
  repeated: "in doubt, sent again under a key that the channel knows",
  lookedUp: "in doubt, looked up by the key",
  givenUp: "in doubt at a channel without keys: never sent again, fail uncharged at their end",
  ended: "past their end: fail at once, uncharged",
  unclear: "asked of a channel that is not configured here: name the configuration by --config",
} as const satisfies Record<keyof DrillReport["nextSteps"], string>

const OUTCOMES = {
  whole: "the copy is whole, and its artifacts are there",
  differs: "something is lost or damaged",
  "could-not-tell": "it could not be told",
} as const satisfies Record<DrillResult["outcome"], string>

/** Charges are of `currency`, if it has a name. */
export function formatDrill(result: DrillResult, currency: string | undefined): string {
  const rows: readonly DrillRow[] = [
    ...toCopyRows(result, currency),
    ...toTaskRows(result.copy),
    ...toLossRows(result.copy, currency),
    ...toArtifactRows(result.artifacts),
    ["outcome", OUTCOMES[result.outcome]],
  ]
  return formatTable(rows)
}

function toCopyRows(result: DrillResult, currency: string | undefined): readonly DrillRow[] {
  const { checkpoint, copy, database, knownSchema, replay, verify } = result
  const { kind, schema, version } = database
  const { foreignRows } = replay
  const age = schema === knownSchema ? "this release's" : "a newer release's"
  const charged = formatAmount(replay.chargeMicros.total, currency)
  const size = `${formatCount(copy.tasks, "task")}, ${formatCount(copy.events, "event")}`
  return [
    ["restored", `${kind} ${version}, schema ${schema}, ${age}`],
    ["reaches to", copy.newestAt === null ? "no event" : new Date(copy.newestAt).toISOString()],
    ["signed", checkpoint === null ? "no checkpoint" : toSigned(checkpoint)],
    ["chains", formatOutcome(verify.outcome, `whole: ${size}`)],
    ...toFoundRows(verify, describeFinding),
    ["rows", `${formatOutcome(replay.outcome, "what the log makes")}: charged ${charged}`],
    ...(foreignRows === 0
      ? []
      : [["", `${foreignRows} of another release were not compared`] as const]),
    ...toFoundRows(replay, describeFinding),
  ]
}

function toSigned({ at, size }: { readonly at: number; readonly size: number }): string {
  return `${formatCount(size, "event")}, ${new Date(at).toISOString()}`
}

function toTaskRows({ nextSteps, tasksByState, unfinishedTasks, untoldTasks }: DrillReport) {
  const states = Object.entries(tasksByState)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([state, tasks]) => `${tasks} ${state}`)
  const untold = untoldTasks > 0 ? [`${untoldTasks} that can't be read`] : []
  const steps = (Object.keys(STEPS) as (keyof typeof STEPS)[]).filter((step) => nextSteps[step] > 0)
  return [
    ["tasks", [...states, ...untold].join(", ") || "none"],
    [
      "unfinished",
      unfinishedTasks === 0 ? "none" : `${unfinishedTasks}, which go on once the copy is served:`,
    ],
    ...steps.map((step) => ["", `${nextSteps[step]} ${STEPS[step]}`] as const),
  ] as const satisfies readonly DrillRow[]
}
