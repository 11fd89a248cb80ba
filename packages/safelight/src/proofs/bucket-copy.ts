/**
 * Checkpoints as objects of a bucket, `checkpoints/<number>`, none of which is ever written over. The number is
 * 999,999,999,999,999 less the size of the tree, so that the newest is the first that the bucket lists.
 */
import type { S3Objects } from "@safelight/artifacts-s3"
import { SafelightError } from "@safelight/core"
import type { CheckpointCopy } from "@safelight/proof"

const FOLDER = "checkpoints/"
const LARGEST_SIZE = 999_999_999_999_999

/** More than a signed note may have. */
const NOTE_BYTES = 256 * 1024

/** `name` is for people. Errors are those of the driver. */
export function createBucketCopy(name: string, driver: S3Objects): CheckpointCopy {
  return {
    name,
    async readLast() {
      for await (const key of driver.list(FOLDER, 1)) return readNote(driver, key, name)
      return undefined
    },
    async keep({ note, size }) {
      await driver.storeIfAbsent(toKey(size), Buffer.from(note))
    },
  }
}

function toKey(size: number): string {
  const digits = String(LARGEST_SIZE).length
  return `${FOLDER}${String(LARGEST_SIZE - size).padStart(digits, "0")}`
}

async function readNote(driver: S3Objects, key: string, name: string): Promise<string> {
  const reader = await driver.open({ key, start: 0 })
  if (reader === "past-end" || reader.totalBytes > NOTE_BYTES) throw corrupt(name)
  try {
    const note = Buffer.alloc(reader.totalBytes)
    for (let filled = 0; filled < note.length;) {
      // oxlint-disable-next-line no-await-in-loop -- piece by piece
      const bytes = await reader.read(note.subarray(filled))
      if (bytes === 0) throw corrupt(name)
      filled += bytes
    }
    return note.toString("utf8")
  } finally {
    await reader.close()
  }
}

function corrupt(name: string): SafelightError {
  return new SafelightError({ code: "storage-corrupt", message: `${name} holds no checkpoint` })
}
