/** The log as it stood at a moment, for a command: a summary, and on request a file of it. */
import { describeFinding, foldUntil, type PastPage, type PastReport } from "@safelight/audit"
import { readKeptPrices, sha256 as digest } from "@safelight/engine"
import type { CommandContext } from "../command-line/command-context.ts"
import { printResult, type JsonOption } from "../command-line/print-result.ts"
import { createProgress } from "../command-line/progress.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { withData } from "../data/open-data.ts"
import { requireNoFile } from "../data/whole-file.ts"
import { formatPast } from "../text/past-text.ts"
import { AUDIT_EXIT } from "./audit-outcome.ts"
import { writeStateFile, type AddTasks } from "./state-file.ts"

export interface PastRun {
  readonly configuration: Pick<
    Configuration,
    "currency" | "data" | "database" | "models" | "prices"
  >
  /** In milliseconds, or a size of the tree. */
  readonly until: { readonly untilAt: number } | { readonly untilSize: number }
  /** The file to write. */
  readonly path?: string
}

export async function runPast(
  { configuration, path, until }: PastRun,
  options: JsonOption,
  context: CommandContext,
): Promise<void> {
  const { models, prices } = configuration
  if (path !== undefined) await requireNoFile({ path, option: "--out" })
  const request = { configuration, mayCreate: false, purpose: "read" } as const
  const report = await withData(request, async (storage) => {
    const book = await readKeptPrices(storage, { models, prices })
    const pages = foldUntil({ storage, digest, models, prices: book, ...until })
    const progress = createProgress(context, { isQuiet: true })
    const tell = (add: AddTasks): Promise<PastReport> =>
      finish(pages, ({ progress: { events, findingCount, tasks }, tasks: told }) => {
        add(told)
        progress.report(`${tasks} tasks, ${events} events, ${findingCount} findings`)
      })
    try {
      return await (path === undefined ? tell(() => {}) : writeStateFile(path, tell))
    } finally {
      progress.end()
    }
  })
  // A file that is not whole is none.
  const file = report.untoldTasks === 0 ? path : undefined
  const record = path === undefined ? report : { ...report, file: file ?? null }
  printResult(options, context, record, () =>
    formatPast(report, { describeFinding, path, currency: configuration.currency }),
  )
  context.exitWith(AUDIT_EXIT[report.outcome])
}

type PastPages = AsyncGenerator<PastPage, PastReport>

async function finish(pages: PastPages, onPage: (page: PastPage) => void): Promise<PastReport> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const step = await pages.next()
    if (step.done === true) return step.value
    onPage(step.value)
  }
}
