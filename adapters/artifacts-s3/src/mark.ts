/**
 * The mark of the bucket, or of the prefix in it: the object `.safelight/mark`, one line. It is stored
 * on the condition that there is none. A bucket that knows no such condition is asked without it:
 * there the later of two that store at once stands, and both read what they find.
 */
import { hash } from "node:crypto"
import { expectFine, isFine, toRefusal, type Bucket, type Payload } from "./bucket.ts"
import { createUnavailable } from "./storage-failure.ts"
import { OBJECT_HEADERS } from "./store-payload.ts"

/** No task has such a name, so no `list` shows what is below it. */
const KEY = ".safelight/mark"

/** With its line break; what the port allows. */
const MARK_PATTERN = /^([\x21-\x7e]{1,100})\n$/

/** Somebody else stores one at this moment; there is one. */
const TAKEN_STATUSES: ReadonlySet<number> = new Set([409, 412])
/** What buckets answer that know no condition, unless they ignore it. */
const UNKNOWN_STATUSES: ReadonlySet<number> = new Set([400, 501])

/** Of a conflict: by then it is decided. */
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
  const headers = { "accept-encoding": "identity" }
  const operation = "reading the mark"
  const answer = await bucket.ask({ operation, method: "GET", key: KEY, headers })
  if (answer.code === "NoSuchKey") return undefined
  const [, mark] = MARK_PATTERN.exec(expectFine(answer).text) ?? []
  if (mark === undefined) throw createUnavailable(`the object ${KEY} is no mark`)
  return mark
}

/** Changes nothing where there is a mark already. */
async function writeMark(bucket: Bucket, mark: string): Promise<void> {
  const text = `${mark}\n`
  const body = { bytes: Buffer.from(text, "latin1"), sha256: hash("sha256", text) }
  const answer = await storeMark(bucket, body, { "if-none-match": "*" })
  if (isFine(answer) || TAKEN_STATUSES.has(answer.status)) return
  if (!UNKNOWN_STATUSES.has(answer.status)) throw toRefusal(answer)
  expectFine(await storeMark(bucket, body, {}))
}

function storeMark(
  bucket: Bucket,
  body: Payload,
  condition: Readonly<Record<string, string>>,
): ReturnType<Bucket["ask"]> {
  const headers = { ...OBJECT_HEADERS, ...condition }
  return bucket.ask({ operation: "storing the mark", method: "PUT", key: KEY, headers, body })
}
