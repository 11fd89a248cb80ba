/**
 * The mark of a storage: the object `.safelight/mark`, one line. It is stored on the condition that there is none.
 * In a storage without conditions the later of two marks that are stored at once stays, and both callers read it.
 */
import { isSafelightError, MOST_MARK_BYTES, parseMarkLine } from "@safelight/core"
import type { ArtifactDriver, ObjectReader } from "./driver.ts"
import { createUnavailable, translateFailure } from "./failures.ts"
import { MARK_KEY } from "./keys.ts"

/** After so many conflicts one of the processes has stored its mark. */
const MOST_TRIES = 5

export async function markStorage(
  driver: ArtifactDriver,
  proposed?: string,
): Promise<string | undefined> {
  const found = await readMark(driver)
  if (found !== undefined || proposed === undefined) return found
  const line = Buffer.from(`${proposed}\n`, "latin1")
  for (let attempt = 1; attempt <= MOST_TRIES; attempt += 1) {
    await translateFailure(driver, () => driver.storeIfAbsent(MARK_KEY, line))
    const mark = await readMark(driver)
    if (mark !== undefined) return mark
    await driver.pause?.(attempt)
  }
  throw createUnavailable(driver.name, "it does not hold the mark that it took")
}

async function readMark(driver: ArtifactDriver): Promise<string | undefined> {
  return translateFailure(driver, async () => {
    const reader = await driver.open({ key: MARK_KEY, start: 0 }).catch(toNone)
    if (reader === undefined || reader === "past-end") return undefined
    const mark = parseMarkLine(await readShort(reader))
    if (mark === undefined) throw createUnavailable(driver.name, `${MARK_KEY} in it is damaged`)
    return mark
  })
}

/** Reads one byte more than a mark may have, and no further. */
async function readShort(reader: ObjectReader): Promise<string> {
  const into = Buffer.alloc(Math.min(MOST_MARK_BYTES + 1, reader.totalBytes))
  let length = 0
  try {
    while (length < into.byteLength) {
      const count = await reader.read(into.subarray(length))
      length += count
      if (count === 0) break
    }
    return into.toString("latin1", 0, length)
  } finally {
    await reader.close()
  }
}

function toNone(error: unknown): undefined {
  if (!isSafelightError(error) || error.code !== "artifact-missing") throw error
}
