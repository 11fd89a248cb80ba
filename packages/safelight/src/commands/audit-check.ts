/**
 * `safelight audit check`: proves a file without a database and without the service: a log that `audit export` wrote, or
 * the proof of a task. With the log's public key it proves that the log's operator has signed exactly this. With a folder
 * of downloads it compares their bytes with what the file says of them.
 */
import { resolve } from "node:path"
import type { AuditReport, DownloadReport, LogRecord } from "@safelight/audit"
import type { Checkpoint, LogCheck, Refusal } from "@safelight/proof"
import { AUDIT_EXIT, joinOutcomes, orUntold } from "../audits/audit-outcome.ts"
import { checkProofFile, type Against, type Printing } from "../audits/check-proof-file.ts"
import { openDownloads } from "../audits/open-downloads.ts"
import { READING_OPTIONS } from "../audits/reading-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag, option } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { createProgress } from "../command-line/progress.ts"
import { isZstd, openLogFile, readHead } from "../data/log-file.ts"
import { refused } from "../errors/command-error.ts"
import type { LogKeyList } from "../proofs/open-document.ts"
import { formatCheckOutcome, toDownloadLines } from "../text/artifact-findings.ts"
import { formatOneLine } from "../text/one-line.ts"
import { toFindingLines } from "../text/report-lines.ts"

export const command = defineCommand({
  name: "audit check",
  description: "prove a log or a task's proof in a file, without database and service",
  arguments: { file: argument("what `audit export`, `audit prove` or the API wrote") },
  options: {
    key: option("<key>", "the log's public key, or a file with it"),
    artifacts: option(
      "<folder>",
      "compare downloads with the log: named as by `tasks artifacts`, or the service's own folder",
    ),
    ...READING_OPTIONS,
    json: flag("print the report as JSON"),
  },
  run: ({ arguments: { file }, options, context }) =>
    orUntold(async () => {
      const { readKey } = await import("../proofs/open-document.ts")
      const path = resolve(context.folder, file)
      const keys = options.key === undefined ? undefined : await readKey(options.key, context)
      const downloads = await openDownloads(options, context)
      const check = (await isLog(path)) ? checkLogFile : checkProofFile
      try {
        await check(path, { keys, downloads }, { options, context })
      } finally {
        await downloads?.settle()
      }
    }),
})

/** A proof is an object over many lines, or one whose first member is its format. */
async function isLog(path: string): Promise<boolean> {
  const head = await readHead(path)
  return isZstd(head) || !/"format"\s*:\s*"safelight-proof"/.test(head.toString("utf8"))
}

/** What the log's key says of a file; absent without a key. */
interface Signed {
  readonly refusal?: Refusal
  readonly checkpoint?: Checkpoint
}

async function checkLogFile(
  path: string,
  { downloads, keys }: Against,
  { options, context }: Printing,
): Promise<void> {
  const { checkLog, describeFinding } = await import("@safelight/audit")
  const { sha256: digest } = await import("@safelight/engine")
  const signatures = keys && (await createSignatureCheck(path, keys))
  const progress = createProgress(context, { isQuiet: true })
  let report: AuditReport
  try {
    report = await checkLog({
      open: () => openLogFile(path),
      digest,
      onRecord: (record) => signatures?.add(record),
      onTask: async (task, events) => downloads?.check(task, events),
      onProgress: ({ events, tasks }) => progress.report(`${tasks} tasks, ${events} events`),
    })
  } finally {
    progress.end()
  }
  const signed = signatures?.finish() ?? {}
  const artifacts = await downloads?.finish()
  const { refusal } = signed
  const ofLog = refusal === undefined ? report.outcome : "differs"
  const outcome = joinOutcomes(ofLog, artifacts?.outcome ?? "whole")
  const more = { ...(refusal && { refusal }), ...(artifacts && { artifacts }) }
  printResult(options, context, { ...report, outcome, ...more }, () =>
    formatReport({ ...report, outcome, artifacts }, signed, describeFinding),
  )
  context.exitWith(AUDIT_EXIT[outcome])
}

interface SignatureCheck {
  add(record: LogRecord): void
  finish(): Signed
}

/** The first record is the header, and the second a checkpoint if the file has one. */
async function createSignatureCheck(path: string, keys: LogKeyList): Promise<SignatureCheck> {
  const { createLogCheck, isRefusal } = await import("@safelight/proof")
  const { openNoteOf } = await import("../proofs/open-document.ts")
  const { tree } = await import("../proofs/service-proofs.ts")
  const note = await readNote(path)
  const checkpoint = await openNoteOf(note, keys)
  if (isRefusal(checkpoint)) return { add() {}, finish: () => ({ refusal: checkpoint }) }
  let check: LogCheck | undefined
  let refusal: Refusal | undefined
  return {
    add(record) {
      if (record.kind === "header") {
        const isSelection = record.selection !== undefined
        check = createLogCheck({ tree, checkpoint, isSelection })
      }
      if (record.kind === "stream" && refusal === undefined) refusal = check?.add(record)
    },
    finish() {
      refusal ??= check?.finish()
      return refusal === undefined ? { checkpoint } : { refusal }
    },
  }
}

/** Rejects with a `CommandError` if the file has no checkpoint. */
async function readNote(path: string): Promise<string> {
  const { readExport } = await import("@safelight/audit")
  for await (const { record } of readExport(openLogFile(path))) {
    if (record.kind === "checkpoint") return record.note
    if (record.kind !== "header") break
  }
  throw refused(`${path} has no checkpoint: \`safelight audit export\` writes one that has`)
}

function formatReport(
  report: AuditReport & { readonly artifacts: DownloadReport | undefined },
  { checkpoint, refusal }: Signed,
  describe: (finding: AuditReport["findings"][number]) => string,
): string {
  const { artifacts, chargeMicros, events, outcome, tasks } = report
  const { size, origin } = checkpoint ?? {}
  return [
    ...toFindingLines(report, describe),
    ...(refusal ? [formatOneLine(refusal.reason)] : []),
    ...Object.entries(chargeMicros.byAccount).map(
      ([account, micros]) => `${formatOneLine(account)} was charged ${micros} micro-units`,
    ),
    `${tasks} tasks, ${events} events, charged ${chargeMicros.total} micro-units`,
    ...(checkpoint ? [`signed by ${origin}: the log had ${size} events`] : []),
    ...(artifacts ? toDownloadLines(artifacts) : []),
    formatCheckOutcome(outcome, artifacts),
    "",
  ].join("\n")
}
