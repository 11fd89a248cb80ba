/**
 * The mark of a bucket, or of a prefix in it: the object `.safelight/mark`, one line. It is stored on the
 * condition that there is none. In a bucket without conditions it is stored without: if two marks are stored at
 * once, the later one stays, and both callers read it back.
 */
import { PutObjectCommand } from "@aws-sdk/client-s3"
import { isSafelightError, MOST_MARK_BYTES, parseMarkLine } from "@safelight/core"
import type { Bucket } from "./bucket.ts"
import { openRange, type OpenRange } from "./object-range.ts"
import { createUnavailable, type Refusal } from "./storage-failure.ts"

/** No task has such a name, so `list` does not show it. */
const KEY = ".safelight/mark"

/** 409: another process is storing one at this moment. 412: there is one. */
const TAKEN_STATUSES: ReadonlySet<number | undefined> = new Set([409, 412])
/** The answers of some buckets without conditions; others ignore the condition. */
const UNKNOWN_STATUSES: ReadonlySet<number | undefined> = new Set([400, 501])

/** After so many conflicts one of the processes has stored its mark. */
const MOST_TRIES = 5

export async function markBucket(bucket: Bucket, proposed?: string): Promise<string | undefined> {
  const found = await readMark(bucket)
  if (found !== undefined || proposed === undefined) return found
  for (let attempt = 1; attempt <= MOST_TRIES; attempt += 1) {
    await writeMark(bucket, proposed)
    const mark = await readMark(bucket)
    if (mark !== undefined) return mark
    await bucket.pause(attempt)
  }
  throw createUnavailable("it does not hold the mark that it took")
}

async function readMark(bucket: Bucket): Promise<string | undefined> {
  const opened = await openRange(bucket, { key: KEY, start: 0 }).catch(toNone)
  if (opened === undefined) return undefined
  const mark = parseMarkLine(await readShort(opened))
  if (mark === undefined) throw createUnavailable(`the object ${KEY} is no mark`)
  return mark
}

/** Reads one byte more than a mark may have, and no further. */
async function readShort({ body }: OpenRange): Promise<string> {
  const into = Buffer.alloc(MOST_MARK_BYTES + 1)
  let length = 0
  try {
    for (;;) {
      const count = (await body?.read(into.subarray(length))) ?? 0
      length += count
      if (count === 0) return into.toString("latin1", 0, length)
    }
  } finally {
    await body?.close()
  }
}

function toNone(error: unknown): undefined {
  if (!isSafelightError(error) || error.code !== "artifact-missing") throw error
}

/** Changes nothing if there is a mark already. */
async function writeMark(bucket: Bucket, mark: string): Promise<void> {
  const answer = await storeMark(bucket, mark, {
    condition: "*",
    refused: ({ status }) => {
      if (TAKEN_STATUSES.has(status)) return "taken"
      return UNKNOWN_STATUSES.has(status) ? "condition-unknown" : undefined
    },
  })
  if (answer === "condition-unknown") await storeMark(bucket, mark, {})
}

interface Storing {
  readonly condition?: string
  readonly refused?: (refusal: Refusal) => "condition-unknown" | "taken" | undefined
}

function storeMark(bucket: Bucket, mark: string, { condition, refused }: Storing) {
  const Body = Buffer.from(`${mark}\n`, "latin1")
  const input = { ...bucket.at(KEY), Body, IfNoneMatch: condition }
  return bucket.ask({
    operation: "storing the mark",
    send: (client, options) => client.send(new PutObjectCommand(input), options),
    ...(refused && { refused }),
  })
}
