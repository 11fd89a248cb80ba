/**
 * A log that was signed, in a file: whoever has the database, the code and every hash, and not the key, can't alter it.
 * Both checkers, ours and the one in Python, say the same of each file. `SAFELIGHT_TAMPERINGS` says how many are made.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { checkLog, type SignedExport, exportStreams } from "@safelight/audit"
import { hashEvent } from "@safelight/core"
import {
  createCheckpointKeeper,
  createLogCheck,
  createTreeHash,
  createTreeSource,
  isRefusal,
  openCheckpoint,
  openTaskProof,
  proveInclusion,
  proveTask,
  toVerifierText,
  type LogCheck,
  type NoteSigner,
} from "@safelight/proof"
import { sha256, verifyEd25519 } from "@safelight/proof/node"
import { createMemoryStorage, type MemoryStorage } from "@safelight/testkit"
import * as fc from "fast-check"
import { createSigner, ORIGIN } from "../proof/signed-tasks.ts"
import { checkAsync } from "./support/property.ts"
import { checkByPython, skip } from "./support/python-checker.ts"
import { createSampleLog } from "./support/sample-log.ts"
import { sha256 as digest } from "./support/sha256.ts"
import {
  createTransferSource,
  NOW,
  resign,
  take,
  toAppend,
  toFile,
  toTaskId,
} from "./support/transfer-source.ts"

/** Some seconds. */
const TAMPERED = Number(process.env["SAFELIGHT_TAMPERINGS"] ?? 200)
/** Of one run of Python. */
const AT_ONCE = 50

const tree = createTreeHash(sha256)
const signer = createSigner()
const KEY = toVerifierText(signer.key)

interface Sealed {
  readonly lines: readonly string[]
  readonly note: string
}

/** The whole log, or the tasks of an account alone. */
async function writeLog(
  storage: MemoryStorage,
  { account, by = signer }: { readonly account?: string; readonly by?: NoteSigner } = {},
): Promise<Sealed> {
  const keeper = createCheckpointKeeper({ storage, tree, signer: by, verify: verifyEd25519 })
  const kept = await keeper.keep(NOW)
  assert.ok(!isRefusal(kept))
  const { note, size } = kept.checkpoint
  const source = createTreeSource(storage, { size, tree })
  const signed: SignedExport = {
    checkpoint: note,
    ...(account !== undefined && { selection: { account } }),
    async readLeaves(task) {
      const leaves = await storage.readLeaves(task)
      return Promise.all(
        leaves.map(async ({ index }) => {
          const hashes = await proveInclusion(source, index)
          return { index, proof: hashes.map((hash) => Buffer.from(hash).toString("base64")) }
        }),
      )
    },
  }
  const lines: string[] = []
  for await (const line of exportStreams({ storage, digest, now: NOW, isSealed: false, signed })) {
    lines.push(line)
  }
  return { lines, note }
}

/** Ours: `whole` also where prices are not in the file. */
async function isWhole(lines: readonly string[]): Promise<boolean> {
  let check: LogCheck | undefined
  let isRight = true
  let isSelection = false
  const notes = lines.flatMap((line) => {
    const record = JSON.parse(line) as { readonly kind: string; readonly note?: string }
    return record.kind === "checkpoint" ? [record.note ?? ""] : []
  })
  const options = { origin: ORIGIN, logKeys: [signer.key], verify: verifyEd25519 }
  const opened = await openCheckpoint(notes[0] ?? "", options)
  if (isRefusal(opened)) return false
  try {
    const { outcome } = await checkLog({
      open: toFile(lines),
      digest,
      onRecord(record) {
        if (record.kind === "header") isSelection = record.selection !== undefined
        check ??= createLogCheck({ tree, checkpoint: opened.checkpoint, isSelection })
        if (record.kind === "stream") isRight &&= check.add(record) === undefined
      },
    })
    return outcome !== "differs" && isRight && check?.finish() === undefined
  } catch {
    // It is no export at all.
    return false
  }
}

interface Stream {
  kind: string
  task: string
  events: Record<string, unknown>[]
  leaves: number[]
  proofs?: string[][]
}

interface Log {
  header: Record<string, unknown>
  checkpoint: { kind: string; note: string }
  streams: Stream[]
  rest: string[]
}

function read(lines: readonly string[]): Log {
  const records = lines.map((line) => JSON.parse(line) as { kind: string })
  const of = (kind: string) => records.filter((record) => record.kind === kind)
  return {
    header: of("header")[0] as never,
    checkpoint: of("checkpoint")[0] as never,
    streams: of("stream") as never,
    rest: lines.filter((_, index) => records[index]?.kind === "definition"),
  }
}

/** With counts, digest and all hashes as a forger would make them. */
function write({ checkpoint, header, rest, streams }: Log, trailer: string): string[] {
  for (const stream of streams) {
    let previous = "0".repeat(64)
    for (const event of stream.events) {
      previous = hashEvent(digest, previous, { ...event, task: stream.task } as never)
      event["hash"] = previous
    }
  }
  const sorted = streams.toSorted((one, other) => (one.task < other.task ? -1 : 1))
  const events = sorted.reduce((total, stream) => total + stream.events.length, 0)
  const counted = { ...(JSON.parse(trailer) as object), streams: sorted.length, events }
  const records = [header, checkpoint, ...sorted]
  return resign([
    ...records.map((record) => `${JSON.stringify(record)}\n`),
    ...rest,
    `${JSON.stringify(counted)}\n`,
  ])
}

interface Drawn {
  readonly stream: number
  readonly event: number
}

type Tampering = (log: Log, at: Drawn, other: Sealed) => void

const pick = <Item>(items: readonly Item[], at: number): Item =>
  items[at % items.length] ?? assert.fail("nothing to pick")

const ofStream =
  (alter: (stream: Stream, event: number) => void): Tampering =>
  ({ streams }, at) =>
    alter(pick(streams, at.stream), at.event)

/** Each leaves a file that fits together in itself, but for its signature. */
const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  "a task is left out": ({ streams }, { stream }) => {
    streams.splice(stream % streams.length, 1)
  },
  "the tail of a task is cut off": ofStream((stream) => {
    stream.events.pop()
    stream.leaves.pop()
  }),
  "a moment is changed": ofStream(({ events }) => {
    const event = pick(events, events.length - 1)
    event["at"] = Number(event["at"]) + 1
  }),
  "a charge is changed": ({ streams }) => {
    for (const { events } of streams) {
      for (const event of events) {
        event["data"] = String(event["data"]).replace(/"chargeMicros":\d+/, '"chargeMicros":1')
        event["data"] = String(event["data"]).replace(/"account":"ann"/, '"account":"ben"')
      }
    }
  },
  "a task has another name": ofStream((stream) => {
    stream.task = stream.task.replace(/^0/, "f")
  }),
  "two tasks have each other's leaves": ({ streams }, { stream }) => {
    const [one, next] = [pick(streams, stream), pick(streams, stream + 1)]
    ;[one.leaves, next.leaves] = [next.leaves, one.leaves]
    ;[one.proofs, next.proofs] = [next.proofs ?? [], one.proofs ?? []]
    if (one.proofs.length === 0) delete one.proofs
    if (next.proofs.length === 0) delete next.proofs
  },
  "leaves are moved": ofStream((stream, at) => {
    stream.leaves = stream.leaves.map((index) => index + 1 + (at % 3))
  }),
  "leaves are taken away": ofStream((stream) => {
    stream.leaves = []
  }),
  "the checkpoint is of another log": (log, _, { note }) => {
    log.checkpoint.note = note
  },
  "the checkpoint has another size": ({ checkpoint }) => {
    checkpoint.note = checkpoint.note.replace(/\n(\d+)\n/, (_, size) => `\n${Number(size) + 1}\n`)
  },
  "the checkpoint is signed by nobody": ({ checkpoint }) => {
    checkpoint.note = checkpoint.note.replace(/\n— .*\n$/, "\n")
  },
  "a signature is altered": ({ checkpoint }, { event }) => {
    const place = checkpoint.note.length - 20 - (event % 40)
    const letter = checkpoint.note[place] === "A" ? "B" : "A"
    checkpoint.note = `${checkpoint.note.slice(0, place)}${letter}${checkpoint.note.slice(place + 1)}`
  },
}

/** Of a selection alone. */
const OF_SELECTION: Readonly<Record<string, Tampering>> = {
  "a proof is another event's": ofStream((stream) => {
    const proofs = stream.proofs ?? []
    stream.proofs = proofs.map((_, at) => proofs[(at + 1) % proofs.length] ?? [])
    if (stream.events.length === 1) stream.proofs = [[]]
  }),
  "a proof is shorter": ofStream((stream, at) => {
    stream.proofs?.[at % stream.events.length]?.pop()
  }),
  "a proof is longer": ofStream((stream, at) => {
    stream.proofs?.[at % stream.events.length]?.push("A".repeat(43).concat("="))
  }),
  "the proofs are taken away": ofStream((stream) => {
    delete stream.proofs
  }),
}

async function createLogs() {
  const storage = await createTransferSource()
  const otherStorage = createMemoryStorage()
  const [stream] = createSampleLog(toTaskId).streams
  if (stream !== undefined) await otherStorage.append(toAppend(stream))
  return {
    whole: await writeLog(storage),
    selection: await writeLog(storage, { account: "ann" }),
    // By the same name, and another key.
    other: await writeLog(otherStorage, { by: createSigner() }),
    storage,
  }
}

describe("a signed log in a file", { skip }, () => {
  it("is whole as it was written, all of it and of one account", async () => {
    const { other, selection, whole } = await createLogs()
    assert.ok(await isWhole(whole.lines))
    assert.ok(await isWhole(selection.lines))
    assert.ok(!(await isWhole(other.lines)))
    const verdicts = await checkByPython([whole.lines, selection.lines, other.lines], KEY)
    // The sample's prices are in no definition.
    assert.deepEqual(
      verdicts.map(([code]) => code),
      [2, 2, 1],
      verdicts.map(([, said]) => said).join("\n"),
    )
  })

  it("has no keys, prompts and labels, and nothing imports it", async () => {
    const { whole } = await createLogs()
    const text = whole.lines.join("")
    for (const word of ["secret", "fog", "spring", '"once"']) assert.ok(!text.includes(word), word)
    await assert.rejects(take(createMemoryStorage(), whole.lines), /the file is for auditors/)
  })

  it("is not whole whatever is done to it by somebody without the key", async (t) => {
    const { other, selection, whole } = await createLogs()
    const drawn = fc.record({
      name: fc.constantFrom(...Object.keys(TAMPERINGS), ...Object.keys(OF_SELECTION)),
      isSelection: fc.boolean(),
      stream: fc.nat(50),
      event: fc.nat(50),
    })
    let judged = 0
    const many = fc.noShrink(fc.array(drawn, { minLength: AT_ONCE, maxLength: AT_ONCE }))
    await checkAsync(
      t,
      fc.asyncProperty(many, async (all) => {
        const tampered = all.flatMap(({ isSelection, name, ...at }) => {
          const isOfSelection = isSelection || Object.hasOwn(OF_SELECTION, name)
          const { lines } = isOfSelection ? selection : whole
          const log = read(lines)
          const alter = TAMPERINGS[name] ?? OF_SELECTION[name]
          alter?.(log, at, other)
          const file = write(log, lines.at(-1) ?? "")
          // A selection may lack tasks, and a sample task may have no charge: then nothing was done.
          const isLess = isOfSelection && /left out|cut off/.test(name)
          return isLess || file.join("") === lines.join("") ? [] : [{ name, isOfSelection, file }]
        })
        const files = tampered.map(({ file }) => file)
        const verdicts = await checkByPython(files, KEY)
        for (const [index, { file, isOfSelection, name }] of tampered.entries()) {
          const [code, said] = verdicts[index] ?? assert.fail("it said nothing")
          const what = `${name}${isOfSelection ? ", in a selection" : ""}: ${said}`
          assert.equal(code, 1, what)
          assert.equal(await isWhole(file), false, what)
        }
        judged += files.length
      }),
      Math.ceil(TAMPERED / AT_ONCE),
    )
    // Otherwise most of it changed nothing.
    assert.ok(judged > TAMPERED / 2, `${judged} files were altered`)
    t.diagnostic(`${judged} files were altered`)
  })

  it("has proofs of its tasks that both checkers take, and no others", async () => {
    const { storage, whole } = await createLogs()
    const note = whole.note
    const checkpoint = { size: Number(note.split("\n")[1]), at: NOW, note }
    const proof = await proveTask(
      { storage, tree, sha256, checkpoint, viewer: "operator" },
      toTaskId("a"),
    )
    const text = JSON.stringify(proof)
    const options = { origin: ORIGIN, logKeys: [signer.key], verify: verifyEd25519, sha256 }
    const altered = [
      text.replace(/"at":\d+/, '"at":1'),
      text.replace(/"index":(\d+)/, (_, index) => `"index":${Number(index) + 1}`),
      text.replace(/"proof":\[".{4}/, '"proof":["AAAA'),
      text.replace(/"task":"0/, '"task":"1'),
    ]
    for (const each of altered) {
      assert.notEqual(each, text)
      assert.ok(isRefusal(await openTaskProof(JSON.parse(each), options)))
    }
    assert.ok(!isRefusal(await openTaskProof(JSON.parse(text), options)))
    const verdicts = await checkByPython([[text], ...altered.map((each) => [each])], KEY)
    assert.deepEqual(
      verdicts.map(([code]) => code),
      [0, 1, 1, 1, 1],
    )
  })
})
