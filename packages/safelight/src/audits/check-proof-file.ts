/** A task's proof in a file, checked with the log's public key, and downloads beside it. */
import type { DownloadCheck } from "@safelight/audit"
import type { CommandContext } from "../command-line/command-context.ts"
import { printResult, type JsonOption } from "../command-line/print-result.ts"
import { refused } from "../errors/command-error.ts"
import type { LogKeyList } from "../proofs/open-document.ts"
import { formatCheckOutcome, toDownloadLines } from "../text/artifact-findings.ts"
import { formatOneLine } from "../text/one-line.ts"
import { AUDIT_EXIT } from "./audit-outcome.ts"

/** What the file is held against. */
export interface Against {
  readonly keys: LogKeyList | undefined
  readonly downloads: DownloadCheck | undefined
}

export interface Printing {
  readonly options: JsonOption
  readonly context: CommandContext
}

/** Rejects with a `CommandError` if the file is no proof, or if no key is given. */
export async function checkProofFile(
  path: string,
  { downloads, keys }: Against,
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
  await downloads?.checkShown(task, events)
  const artifacts = await downloads?.finish()
  const outcome = artifacts?.outcome ?? "whole"
  const { size: checkpointSize } = checkpoint
  const record = { outcome, task, events: events.length, checkpoint_size: checkpointSize }
  printResult(options, context, { ...record, ...(artifacts && { artifacts }) }, () =>
    [
      ...events.map(
        ({ at, type, version }) => `${version}  ${new Date(at).toISOString()}  ${type}`,
      ),
      `${events.length} events of task ${task} are in the log of ${checkpointSize} that ${checkpoint.origin} signed`,
      ...(artifacts ? [...toDownloadLines(artifacts), formatCheckOutcome(outcome, artifacts)] : []),
    ]
      // Whoever signs a log may write anything into it.
      .map((line) => `${formatOneLine(line)}\n`)
      .join(""),
  )
  context.exitWith(AUDIT_EXIT[outcome])
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refused(`${path} is neither a log nor a proof`, cause)
  }
}
