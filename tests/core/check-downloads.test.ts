/**
 * A folder of downloads, once some of what it has has expired at the service; and the events of a proof, from which it
 * is judged as well. What becomes of files is tried from the command line (service/command/audit-downloads.test.ts).
 */
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it } from "node:test"
import { createDownloadCheck, type DownloadReport } from "@safelight/audit"
import {
  GENESIS_HASH,
  sealEvents,
  toShownEvents,
  type ManifestEntry,
  type StoredEvent,
  type TaskEvent,
} from "@safelight/core"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { sha256 } from "./support/sha256.ts"

const TASK = "task-1"
const EXPIRES_AT = 1_000

function toEntry(key: string): ManifestEntry {
  const hash = sha256(["bytes"])
  const file = { bytes: 5, durationMs: null, mimeType: "image/png", sha256: hash, type: "image" }
  return { ...file, expiresAt: EXPIRES_AT, key, locator: `elsewhere/${key}` } as ManifestEntry
}

const usage = { images: 2, inputVideosMs: [], outputVideoMs: 0 }
const artifacts = [toEntry("image_1"), toEntry("image_2")]
const SUCCEEDED: TaskEvent = {
  type: "succeeded",
  at: 1,
  data: { artifacts, chargeMicros: 0, cost: "none", usage },
}
const HELD: TaskEvent = { type: "held", at: 2, data: { until: EXPIRES_AT + 500 } }

function store(...events: readonly TaskEvent[]): readonly StoredEvent[] {
  const sealer = { digest: sha256, createSalt: () => "a-salt-of-22-characters" }
  return sealEvents(sealer, { task: TASK, version: 0, hash: GENESIS_HASH }, events)
}

interface Folder {
  /** By the names of the files. */
  readonly files: Readonly<Record<string, string>>
  readonly now: number
}

async function check(
  events: readonly TaskEvent[],
  { files, now }: Folder,
): Promise<DownloadReport> {
  await using folder = await createTemporaryFolder()
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text)
  const toNames = ({ key }: { readonly key: string }) => [key]
  const reports = await Promise.all(
    [false, true].map(async (isShown) => {
      const downloads = createDownloadCheck({ folder: folder.path, now, toNames })
      const shown = toShownEvents(sha256, store(...events))
      await (isShown ? downloads.checkShown(TASK, shown) : downloads.check(TASK, events))
      return downloads.finish()
    }),
  )
  const [whole, shown] = reports.map(toSorted)
  assert.ok(whole)
  assert.deepEqual(shown, whole)
  return whole
}

/** Files are read at once, and found in any order. */
function toSorted({ findings, ...report }: DownloadReport): DownloadReport {
  const byKey = findings.toSorted((one, other) => (one.key < other.key ? -1 : 1))
  return { ...report, findings: byKey }
}

const EARLY = EXPIRES_AT - 1

describe("a download, by the events of its task or by their proof,", () => {
  it("is judged also once it has expired, and is not missed then", async () => {
    const both = { image_1: "bytes", image_2: "bytes" }
    const altered = { image_1: "bytes", image_2: "Bytes" }
    const one = { image_1: "bytes" }
    const outcomes = []
    for (const files of [both, altered, one]) {
      for (const now of [EARLY, EXPIRES_AT]) {
        const report = await check([SUCCEEDED], { files, now })
        const { differing, expired, findingCount, missing, outcome } = report
        outcomes.push([outcome, differing, missing, expired, findingCount])
      }
    }
    assert.deepEqual(outcomes, [
      ["whole", 0, 0, 0, 0],
      ["whole", 0, 0, 0, 0],
      ["differs", 1, 0, 0, 1],
      ["differs", 1, 0, 0, 1],
      ["could-not-tell", 0, 1, 0, 1],
      ["whole", 0, 0, 1, 0],
    ])
  })

  it("is missed for as long as it is held", async () => {
    const missing = async (now: number) =>
      (await check([SUCCEEDED, HELD], { files: {}, now })).missing
    assert.deepEqual([await missing(EXPIRES_AT), await missing(EXPIRES_AT + 500)], [2, 0])
  })

  it("is counted with its bytes, of all that the log names", async () => {
    const files = { image_1: "bytes", image_2: "cut" }
    const { findings, ...report } = await check([SUCCEEDED], { files, now: EARLY })
    assert.deepEqual(findings, [
      { kind: "differs", task: TASK, key: "image_2", expiresAt: EXPIRES_AT },
    ])
    assert.deepEqual(report, {
      outcome: "differs",
      artifacts: 2,
      bytes: 5,
      named: { artifacts: 2, bytes: 10 },
      sample: null,
      bytesPerSecond: null,
      differing: 1,
      missing: 0,
      expired: 0,
      findingCount: 1,
    })
  })

  it("can't be judged by a proof whose manifest is none", async () => {
    const [stored] = toShownEvents(sha256, store(SUCCEEDED))
    assert.ok(stored)
    const downloads = createDownloadCheck({ folder: ".", now: EARLY })
    for (const data of [
      "{",
      "null",
      '{"artifacts":7}',
      stored.data.replace('"image_1"', "7"),
      "{}",
    ]) {
      const code = "storage-corrupt"
      await assert.rejects(async () => downloads.checkShown(TASK, [{ ...stored, data }]), { code })
    }
  })
})
