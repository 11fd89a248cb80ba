/**
 * The log as nodes have signed it while they were killed: every event has its leaf, every checkpoint that is kept is one
 * of the same tree, and both checkers say of the file for auditors that it is whole: ours, and the program that a
 * stranger runs, which shares no line with ours.
 */
import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { checkLog, exportStreams, type LogRecord } from "@safelight/audit"
import { isSafelightError, type KeptCheckpoint, type Storage } from "@safelight/core"
import { sha256 as digest } from "@safelight/engine"
import {
  areSameBytes,
  createLogCheck,
  createTreeSource,
  isRefusal,
  openCheckpoint,
  readRoot,
  toVerifierText,
  type Checkpoint,
  type LogCheck,
} from "@safelight/proof"
import { verifyEd25519 } from "@safelight/proof/node"
import { ROOT } from "../architecture/workspaces.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { ROUND_MODELS } from "./models.ts"
import { createKeeper, openSigner, ORIGIN, tree } from "./node-signing.ts"

const CHECKER = join(ROOT, "packages/audit/check.py")

export interface SignedLogCase {
  readonly storage: Storage
  /** Of the key of all nodes. */
  readonly signingKey: string
  readonly fail: (words: string) => void
}

/** Signs what nobody has signed yet; no node may be running. */
export async function judgeSignedLog(options: SignedLogCase): Promise<void> {
  const { fail, signingKey, storage } = options
  const kept = await createKeeper(storage, signingKey).keep(Date.now())
  if (isRefusal(kept)) return fail(`the log can't be signed: ${kept.reason}`)
  const { checkpoint } = kept
  const unsequenced = await storage.listUnsequenced(1)
  if (unsequenced.events.length > 0) fail("an event has no leaf after everything was signed")
  const signed = await judgeCheckpoints(options, checkpoint)
  if (signed === undefined) return
  const lines = await exportSigned(storage, checkpoint.note).catch((error: unknown) => {
    if (!isSafelightError(error) || error.code !== "storage-corrupt") throw error
    fail(error.message)
  })
  if (lines === undefined) return
  await judgeByOurs(lines, signed, fail)
  await judgeByPython(lines.join(""), toVerifierText(openSigner(signingKey).key), fail)
}

/** As it is written for auditors. Rejects with `storage-corrupt` as `exportStreams` does. */
async function exportSigned(storage: Storage, checkpoint: string): Promise<readonly string[]> {
  const lines: string[] = []
  const readLeaves = async (task: string) =>
    (await storage.readLeaves(task)).map(({ index }) => ({ index }))
  const request = { storage, digest, now: Date.now(), isSealed: false }
  for await (const line of exportStreams({ ...request, signed: { checkpoint, readLeaves } })) {
    lines.push(line)
  }
  return lines
}

/** Every one that is kept, from the newest on; the newest, opened. */
async function judgeCheckpoints(
  { fail, signingKey, storage }: SignedLogCase,
  newest: KeptCheckpoint,
): Promise<Checkpoint | undefined> {
  const logKeys = [openSigner(signingKey).key]
  let last: Checkpoint | undefined
  for (let kept: KeptCheckpoint | undefined = newest; kept !== undefined;) {
    const opened = await openCheckpoint(kept.note, {
      origin: ORIGIN,
      logKeys,
      verify: verifyEd25519,
    })
    if (isRefusal(opened)) {
      fail(`the checkpoint of ${kept.size} events is none: ${opened.reason}`)
      return undefined
    }
    const { root, size } = opened.checkpoint
    if (!areSameBytes(await readRoot(createTreeSource(storage, { size, tree })), root)) {
      fail(`the tree had other events when ${size} of them were signed`)
    }
    last ??= opened.checkpoint
    kept = size === 0 ? undefined : await storage.findCheckpoint({ mostSize: size - 1 })
  }
  return last
}

async function judgeByOurs(
  lines: readonly string[],
  checkpoint: Checkpoint,
  fail: (words: string) => void,
): Promise<void> {
  const check: LogCheck = createLogCheck({ tree, checkpoint, isSelection: false })
  const onRecord = (record: LogRecord): void => {
    const fault = record.kind === "stream" ? check.add(record) : undefined
    if (fault !== undefined) fail(`audit check: ${JSON.stringify(fault)}`)
  }
  const open = () => toPieces(lines)
  const { findings, outcome } = await checkLog({ open, digest, models: ROUND_MODELS, onRecord })
  if (outcome === "differs") fail(`audit check: ${JSON.stringify(findings)}`)
  const fault = check.finish()
  if (fault !== undefined) fail(`audit check: ${JSON.stringify(fault)}`)
}

async function* toPieces(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield Buffer.from(line)
}

interface Ended {
  /** `ENOENT` where there is no Python. */
  readonly code: number | string
  readonly stdout: string
}

/** What it can't judge is no fault, as a charge of a model that is a program. */
async function judgeByPython(
  text: string,
  key: string,
  fail: (words: string) => void,
): Promise<void> {
  await using folder = await createTemporaryFolder()
  const path = join(folder.path, "log.ndjson")
  await writeFile(path, text)
  const ended = await promisify(execFile)("python3", [CHECKER, path, "--key", key]).catch(
    (error: unknown) => error as Ended,
  )
  if (!("code" in ended) || ended.code === 2 || ended.code === "ENOENT") return
  for (const line of ended.stdout.trimEnd().split("\n")) {
    if (!line.includes("can't be judged") && !line.startsWith("bill of")) fail(`check.py: ${line}`)
  }
}
