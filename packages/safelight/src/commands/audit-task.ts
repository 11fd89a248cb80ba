/**
 * `safelight audit task`: what was recorded of one task, for the operator: which channels were asked and why,
 * the outcome and the cost of each attempt, whether the chain of hashes is whole, and the words in which
 * providers refused the task. Those words are kept outside the log and erased with the request; the request
 * itself is not shown. Exit codes are those of an audit.
 */
import type { Finding } from "@safelight/audit"
import type { Input, StoredEvent } from "@safelight/core"
import { AUDIT_EXIT, orUntold } from "../audits/audit-outcome.ts"
import { refused } from "../errors/command-error.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import {
  DATA_OPTIONS,
  loadDataConfiguration,
  type DataOptions,
} from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag } from "../command-line/parameters.ts"
import { printResult, type JsonOption } from "../command-line/print-result.ts"
import { formatOneLine } from "../text/one-line.ts"
import type { TaskHistory } from "../text/task-history.ts"

interface Found {
  readonly id: string
  readonly history: TaskHistory
  readonly findings: readonly Finding[]
  readonly words: readonly ProviderWords[]
}

interface ProviderWords {
  readonly attempt: number
  readonly words: string
}

export const command = defineCommand({
  name: "audit task",
  description: "show what was recorded of a task, what it cost upstream, and providers' own words",
  arguments: { id: argument("id of the task") },
  options: { json: flag("print it as JSON"), ...DATA_OPTIONS },
  run: ({ arguments: { id }, options, context }) => orUntold(() => show(id, options, context)),
})

async function show(
  id: string,
  options: DataOptions & JsonOption,
  context: CommandContext,
): Promise<void> {
  const { describeFinding, isObstacle, verifyTask } = await import("@safelight/audit")
  const { sha256 } = await import("@safelight/engine")
  const { withData } = await import("../data/open-data.ts")
  const { toTaskHistory } = await import("../text/task-history.ts")
  const configuration = await loadDataConfiguration(options, context)
  const request = { configuration, mayCreate: false, purpose: "read" } as const
  const { events, inputs } = await withData(request, async (storage) => {
    const [stored, sideRecords] = await Promise.all([
      storage.readEvents(id),
      storage.readSideRecords(id),
    ])
    return { events: stored, inputs: sideRecords.inputs }
  })
  if (events.length === 0) throw refused("there is no task with this id")
  const findings = verifyTask(events, sha256)
  const found = { id, history: toTaskHistory(events), findings, words: toProviderWords(inputs) }
  printResult(options, context, toRecord(found, events), () => formatFound(found, describeFinding))
  context.exitWith(AUDIT_EXIT[toOutcome(findings, isObstacle)])
}

function toOutcome(
  findings: readonly Finding[],
  isObstacle: (finding: Finding) => boolean,
): keyof typeof AUDIT_EXIT {
  if (findings.length === 0) return "whole"
  return findings.every(isObstacle) ? "could-not-tell" : "differs"
}

/** The inputs with the name `provider:` and the attempt. */
function toProviderWords(inputs: readonly Omit<Input, "task">[]): readonly ProviderWords[] {
  return inputs.flatMap(({ name, body }) => {
    const attempt = /^provider:(\d+)$/.exec(name)?.[1]
    if (attempt === undefined) return []
    const { words } = JSON.parse(body) as { readonly words: string }
    return [{ attempt: Number(attempt), words }]
  })
}

function toRecord({ findings, history, id, words }: Found, events: readonly StoredEvent[]): object {
  return {
    task: id,
    events: history.entries.map(({ attempt, channel }, index) => {
      const { at, data, hash, schema, sealed, type, version } = events[index] as StoredEvent
      const texts = { data: toData(data), sealed: sealed === null ? null : toData(sealed) }
      return { version, at, type, attempt, channel, schema, hash, ...texts }
    }),
    charge_micros: history.chargeMicros,
    costs: history.costs,
    provider_words: words,
    chain: { is_whole: findings.length === 0, findings },
  }
}

/** Text that is no JSON is shown as it is. */
function toData(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return data
  }
}

function formatFound(
  { findings, history, words }: Found,
  describe: (finding: Finding) => string,
): string {
  const count = history.entries.length
  const lines = [
    ...history.entries.map(({ line }) => line),
    ...words.map(({ attempt, words: text }) => `attempt ${attempt}, the provider's words: ${text}`),
    ...findings.map(describe),
    findings.length === 0
      ? `the chain of ${count} event${count === 1 ? "" : "s"} is whole`
      : "the chain is not whole",
  ]
  return lines.map((line) => `${formatOneLine(line)}\n`).join("")
}
