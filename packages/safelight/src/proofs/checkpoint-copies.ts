/**
 * Where checkpoints are kept outside of the database: lines of JSON in a file, which are never changed, objects of a
 * bucket, or an address that each is sent to. A file and a bucket are read when the process starts, so what they have is
 * never contradicted.
 */
import { open, type FileHandle } from "node:fs/promises"
import { SafelightError, type KeptCheckpoint } from "@safelight/core"
import type { CheckpointCopy } from "@safelight/proof"
import type { Configuration } from "../configuration/configuration.ts"
import { isBucket, isReceiver } from "../configuration/file-schema.ts"
import { toBucketOptions } from "../data/open-places.ts"
import { createBucketCopy } from "./bucket-copy.ts"

/** The longest that a note may be is 128 KiB, and JSON may double that. */
const TAIL_BYTES = 512 * 1024

const SEND_TIMEOUT_MS = 10_000

/** Connects to nothing. Rejects with `invalid-configuration` for a bucket that is none. */
export async function createCheckpointCopies({
  checkpoints: { copies = [] },
  credentials,
}: Pick<Configuration, "checkpoints" | "credentials">): Promise<readonly CheckpointCopy[]> {
  return Promise.all(
    copies.map(async (place) => {
      if (!isBucket(place)) return isReceiver(place) ? createSentCopy(place) : createFileCopy(place)
      const { createS3Objects } = await import("@safelight/artifacts-s3")
      const options = await toBucketOptions(place, "checkpoints.copies", credentials)
      return createBucketCopy(place, createS3Objects(options))
    }),
  )
}

function createFileCopy(path: string): CheckpointCopy {
  return {
    name: path,
    async readLast() {
      const file = await open(path, "r").catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
        throw error
      })
      if (file === undefined) return undefined
      try {
        return findLastNote(await readTail(file), path)
      } finally {
        await file.close()
      }
    },
    async keep({ at, note, size }) {
      const file = await open(path, "a+", 0o644)
      try {
        // A line that a crash has cut off stays alone.
        const end = await readTail(file, 1)
        const before = end === "" || end === "\n" ? "" : "\n"
        await file.appendFile(`${before}${JSON.stringify({ at, size, note })}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
    },
  }
}

async function readTail(file: FileHandle, bytes = TAIL_BYTES): Promise<string> {
  const { size } = await file.stat()
  const start = Math.max(0, size - bytes)
  const buffer = Buffer.alloc(size - start)
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
  return buffer.toString("utf8", 0, bytesRead)
}

/** A last line without its end was cut off. Throws `storage-corrupt` if there are lines and none is a checkpoint. */
function findLastNote(text: string, path: string): string | undefined {
  const lines = text.split("\n").slice(0, -1)
  const note = lines.map(parseLine).findLast((found) => found !== undefined)
  if (note !== undefined || text === "") return note
  throw new SafelightError({ code: "storage-corrupt", message: `${path} holds no checkpoint` })
}

function parseLine(line: string): string | undefined {
  try {
    const read: unknown = JSON.parse(line)
    const note = typeof read === "object" && read !== null && "note" in read ? read.note : undefined
    return typeof note === "string" ? note : undefined
  } catch {
    // Cut off by a crash, or the first line of the tail.
    return undefined
  }
}

/** A receiver has to remember what it was sent: nothing is asked of it. */
function createSentCopy(url: string): CheckpointCopy {
  return {
    name: url,
    readLast: async () => undefined,
    async keep({ note }: KeptCheckpoint) {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "content-type": "text/plain; charset=utf-8" },
        body: note,
        redirect: "error",
        signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
      })
      await answer.body?.cancel()
      if (answer.ok) return
      const message = `the receiver of checkpoints answered ${answer.status}`
      throw new SafelightError({ code: "storage-unavailable", message })
    },
  }
}
