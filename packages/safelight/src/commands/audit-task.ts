/**
 * `safelight audit task`: what was recorded of one task, for the operator: which channels were asked and why,
 * the outcome and the cost of each attempt, whether the chain of hashes is whole, and the words in which
 * providers refused the task. Those words are kept outside the log and erased with the request; the request
 * itself is not shown. Exit codes are those of an audit.
 */
import type { Finding } from "@safelight/audit"
import type { Input, StoredEvent } from "@safelight/core"
import { Command } from "commander"
import { refused } from "../command-error.ts"
import { toOneLine } from "../failure-line.ts"
import type { TaskHistory } from "../task-history.ts"
import { CODES, toUntold } from "./audit-command.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly json?: true
}

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

export function createAuditTaskCommand(context: CommandContext): Command {
  const command = new Command("task")
    .description(
      "show what was recorded of a task, what it cost upstream, and providers' own words",
    )
    .argument("<id>", "id of the task")
    .option("--json", "print it as JSON")
  return addDataOptions(command).action(async (id: string, options: Options) => {
    try {
      await run(id, options, context)
    } catch (error) {
      throw toUntold(error)
    }
  })
}

async function run(id: string, options: Options, context: CommandContext): Promise<void> {
  const { describeFinding, isObstacle, verifyTask } = await import("@safelight/audit")
  const { sha256 } = await import("@safelight/engine")
  const { withData } = await import("../open-data.ts")
  const { toTaskHistory } = await import("../task-history.ts")
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
  context.print(options.json === true ? toJson(found, events) : toText(found, describeFinding))
  context.exitWith(CODES[toOutcome(findings, isObstacle)])
}

function toOutcome(
  findings: readonly Finding[],
  isObstacle: (finding: Finding) => boolean,
): keyof typeof CODES {
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

function toJson({ findings, history, id, words }: Found, events: readonly StoredEvent[]): string {
  const record = {
    task: id,
    events: history.entries.map(({ attempt, channel }, index) => {
      const { at, data, hash, schema, type, version } = events[index] as StoredEvent
      return { version, at, type, attempt, channel, schema, hash, data: toData(data) }
    }),
    charge_micros: history.chargeMicros,
    costs: history.costs,
    provider_words: words,
    chain: { is_whole: findings.length === 0, findings },
  }
  return `${JSON.stringify(record)}\n`
}

/** Text that is no JSON is shown as it is. */
function toData(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return data
  }
}

function toText(
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
  return lines.map((line) => `${toOneLine(line)}\n`).join("")
}
