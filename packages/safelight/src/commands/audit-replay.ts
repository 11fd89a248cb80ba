/**
 * `safelight audit replay`: whether the live rows and the charges are what the log makes; with `--until` or `--size`,
 * what they were at a moment, or by a checkpoint. Rows are of now, so none is compared then.
 */
import { resolve } from "node:path"
import { orUntold } from "../audits/audit-outcome.ts"
import type { PastRun } from "../audits/run-past.ts"
import { DATA_OPTIONS, loadDataAndModels } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { parseMoment } from "../command-line/moment-option.ts"
import { parseCount } from "../command-line/option-values.ts"
import { flag, option } from "../command-line/parameters.ts"
import { refused } from "../errors/command-error.ts"

export const command = defineCommand({
  name: "audit replay",
  description: "fold the log and compare it with the live rows and charges",
  options: {
    until: option(
      "<moment>",
      "state and bill as they stood then: proves chains and charges; rows are of now, so none is compared, " +
        "but one that is ahead of its events is told; Unix seconds or ISO, UTC",
      parseMoment,
    ),
    size: option(
      "<events>",
      "the same as the signed tree of so many events has it, such as that of a checkpoint",
      parseCount,
    ),
    out: option(
      "<file>",
      "with --until or --size: write it as an SQLite file, readable by its owner alone",
    ),
    json: flag("print the report as JSON"),
    ...DATA_OPTIONS,
  },
  run: ({ options, context }) =>
    orUntold(async () => {
      const { out } = options
      const until = toUntil(options)
      if (until === undefined) {
        if (out !== undefined) throw refused("--out needs --until or --size, of which to write")
        const { runAudit } = await import("../audits/run-audit.ts")
        const configuration = await loadDataAndModels(options, context)
        const whole = "the log makes every row and charge"
        return runAudit({ kind: "replay", configuration, whole }, options, context)
      }
      const { runPast } = await import("../audits/run-past.ts")
      const configuration = await loadDataAndModels(options, context)
      const file = out === undefined ? {} : { path: resolve(context.folder, out) }
      return runPast({ configuration, until, ...file }, options, context)
    }),
})

function toUntil({
  size: untilSize,
  until,
}: {
  readonly size?: number
  readonly until?: number
}): PastRun["until"] | undefined {
  const untilAt = requirePast(until)
  if (untilSize === undefined) return untilAt === undefined ? undefined : { untilAt }
  if (untilAt !== undefined) throw refused("give either --until or --size")
  return { untilSize }
}

/** In milliseconds. What will stand at a moment to come nobody knows. */
function requirePast(until: number | undefined): number | undefined {
  if (until === undefined) return undefined
  if (until * 1_000 > Date.now()) throw refused("--until: expected a moment that has passed")
  return until * 1_000
}
