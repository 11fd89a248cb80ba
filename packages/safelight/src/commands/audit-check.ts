/**
 * `safelight audit check`: proves a file without a database and without the service: a log that `audit export` wrote, or
 * the proof of a task. With the log's public key it proves that the log's operator has signed exactly this.
 */
import { open } from "node:fs/promises"
import { resolve } from "node:path"
import { Readable } from "node:stream"
import { createZstdDecompress } from "node:zlib"
import type { AuditReport, LogRecord } from "@safelight/audit"
import type { Checkpoint, LogCheck, Refusal } from "@safelight/proof"
import { AUDIT_EXIT, orUntold } from "../audits/audit-outcome.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag, option } from "../command-line/parameters.ts"
import { printResult, type JsonOption } from "../command-line/print-result.ts"
import { createProgress } from "../command-line/progress.ts"
import { refused } from "../errors/command-error.ts"
import type { LogKeyList } from "../proofs/open-document.ts"
import { formatOneLine } from "../text/one-line.ts"
import { formatOutcome, toFindingLines } from "../text/report-lines.ts"

export const command = defineCommand({
  name: "audit check",
  description: "prove a log or a task's proof in a file, without database and service",
  arguments: { file: argument("what `audit export`, `audit prove` or the API wrote") },
  options: {
    key: option("<key>", "the log's public key, or a file with it"),
    json: flag("print the report as JSON"),
  },
  run: ({ arguments: { file }, options, context }) =>
    orUntold(async () => {
      const { readKey } = await import("../proofs/open-document.ts")
      const path = resolve(context.folder, file)
      const keys = options.key === undefined ? undefined : await readKey(options.key, context)
      const check = (await isLog(path)) ? checkLogFile : checkProofFile
      await check(path, keys, { options, context })
    }),
})

interface Printing {
  readonly options: JsonOption
  readonly context: CommandContext
}

/** The first four bytes of a file by Zstandard (RFC 8878 §3.1.1). */
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

function isZstd(head: Buffer): boolean {
  return head.subarray(0, ZSTD.length).equals(ZSTD)
}

/** Far before its end a first line says what the file is. */
const HEAD_BYTES = 256

/** A proof is an object over many lines, or one whose first member is its format. */
async function isLog(path: string): Promise<boolean> {
  const head = await readHead(path)
  return isZstd(head) || !/"format"\s*:\s*"safelight-proof"/.test(head.toString("utf8"))
}

async function readHead(path: string): Promise<Buffer> {
  const { unreadable } = await import("../data/import-source.ts")
  const file = await open(path, "r").catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

async function checkProofFile(
  path: string,
  keys: LogKeyList | undefined,
  { options, context }: Printing,
): Promise<void> {
  const { isRefusal } = await import("@safelight/proof")
  const { openProof, readText } = await import("../proofs/open-document.ts")
  if (keys === undefined) throw refused("--key names the log's public key: a proof is one by it")
  const opened = await openProof(parse(await readText(path), path), keys)
  if (isRefusal(opened)) {
    const words = `${formatOneLine(opened.reason)}\n`
    printResult(options, context, { outcome: "differs", ...opened }, () => words)
    return context.exitWith(AUDIT_EXIT.differs)
  }
  const { checkpoint, events, task } = opened
  const record = { outcome: "whole", task, events: events.length, checkpoint_size: checkpoint.size }
  printResult(options, context, record, () =>
    [
      ...events.map(
        ({ at, type, version }) => `${version}  ${new Date(at).toISOString()}  ${type}`,
      ),
      `${events.length} events of task ${task} are in the log of ${checkpoint.size} that ${checkpoint.origin} signed`,
    ]
      // Whoever signs a log may write anything into it.
      .map((line) => `${formatOneLine(line)}\n`)
      .join(""),
  )
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refused(`${path} is neither a log nor a proof`, cause)
  }
}

/** What the log's key says of a file; absent without a key. */
interface Signed {
  readonly refusal?: Refusal
  readonly checkpoint?: Checkpoint
}

async function checkLogFile(
  path: string,
  keys: LogKeyList | undefined,
  { options, context }: Printing,
): Promise<void> {
  const { checkLog, describeFinding } = await import("@safelight/audit")
  const { sha256: digest } = await import("@safelight/engine")
  const signatures = keys && (await createSignatureCheck(path, keys))
  const progress = createProgress(context, { isQuiet: true })
  let report: AuditReport
  try {
    report = await checkLog({
      open: () => openFile(path),
      digest,
      onRecord: (record) => signatures?.add(record),
      onProgress: ({ events, tasks }) => progress.report(`${tasks} tasks, ${events} events`),
    })
  } finally {
    progress.end()
  }
  const signed = signatures?.finish() ?? {}
  const { refusal } = signed
  const outcome = refusal === undefined ? report.outcome : "differs"
  printResult(options, context, { ...report, outcome, ...(refusal && { refusal }) }, () =>
    formatReport({ ...report, outcome }, signed, describeFinding),
  )
  context.exitWith(AUDIT_EXIT[outcome])
}

/** Its lines, decompressed. */
async function* openFile(path: string): AsyncGenerator<Uint8Array> {
  const { readFile } = await import("../data/import-source.ts")
  const file = readFile(path)
  yield* isZstd(await readHead(path)) ? Readable.from(file).compose(createZstdDecompress()) : file
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
  for await (const { record } of readExport(openFile(path))) {
    if (record.kind === "checkpoint") return record.note
    if (record.kind !== "header") break
  }
  throw refused(`${path} has no checkpoint: \`safelight audit export\` writes one that has`)
}

function formatReport(
  report: AuditReport,
  { checkpoint, refusal }: Signed,
  describe: (finding: AuditReport["findings"][number]) => string,
): string {
  const { chargeMicros, events, outcome, tasks } = report
  const { size, origin } = checkpoint ?? {}
  return [
    ...toFindingLines(report, describe),
    ...(refusal ? [formatOneLine(refusal.reason)] : []),
    ...Object.entries(chargeMicros.byAccount).map(
      ([account, micros]) => `${formatOneLine(account)} was charged ${micros} micro-units`,
    ),
    `${tasks} tasks, ${events} events, charged ${chargeMicros.total} micro-units`,
    ...(checkpoint ? [`signed by ${origin}: the log had ${size} events`] : []),
    formatOutcome(outcome, "it is whole"),
    "",
  ].join("\n")
}
