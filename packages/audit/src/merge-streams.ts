/** The streams of two logs side by side, in the order of their ids: two pages of each are in memory. */
import type { ScannedStream, Storage } from "@safelight/core"
import { readPages } from "./read-pages.ts"

/** One task, as each log has it. */
export interface StreamPair {
  readonly copy: ScannedStream | undefined
  readonly original: ScannedStream | undefined
}

type Scanned = Pick<Storage, "scan">

const EMPTY: Scanned = { scan: async () => ({ streams: [], next: null }) }

/** Every task that either log has, once. Without `original` those of the copy. Rejects as `scan` does. */
export async function* mergeStreams(
  copy: Scanned,
  original: Scanned = EMPTY,
  pageStreams: number,
): AsyncGenerator<StreamPair> {
  const ours = readStreams(copy, pageStreams)
  const theirs = readStreams(original, pageStreams)
  try {
    let [one, other] = [await takeNext(ours), await takeNext(theirs)]
    while (one !== undefined || other !== undefined) {
      const isOurs = one !== undefined && (other === undefined || one.id <= other.id)
      const isTheirs = other !== undefined && (one === undefined || other.id <= one.id)
      yield { copy: isOurs ? one : undefined, original: isTheirs ? other : undefined }
      // oxlint-disable-next-line no-await-in-loop -- one task after the other
      if (isOurs) one = await takeNext(ours)
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (isTheirs) other = await takeNext(theirs)
    }
  } finally {
    await ours.return(undefined)
    await theirs.return(undefined)
  }
}

type Streams = AsyncGenerator<ScannedStream, undefined>

async function* readStreams(storage: Scanned, pageStreams: number): Streams {
  for await (const { streams } of readPages(storage, pageStreams)) yield* streams
  return undefined
}

async function takeNext(streams: Streams): Promise<ScannedStream | undefined> {
  const step = await streams.next()
  return step.done === true ? undefined : step.value
}
