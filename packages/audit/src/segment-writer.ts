/**
 * A segment of the archive: an export for auditors of some tasks, each with the proofs of its events, compressed by
 * Zstandard in frames of a few tasks. So any tool decompresses the whole of it, `audit check` proves it, and a task is
 * read by one range of bytes.
 */
import { promisify } from "node:util"
import { constants, zstdCompress } from "node:zlib"
import type { Digest, Storage, Task } from "@safelight/core"
import type { RecordOf } from "./export-format.ts"
import { createExportWriter, type ExportWriter } from "./export-writer.ts"
import { createNamedDefinitions } from "./named-definitions.ts"
import { writeSeekTable, type Frame } from "./seek-table.ts"

/** A task whose chain was proved. */
export interface WrittenTask {
  readonly record: RecordOf<"stream">
  readonly task: Task
  /** Of its newest event. */
  readonly hash: string
}

export interface SegmentOptions {
  readonly storage: Pick<Storage, "listDefinitions">
  readonly digest: Digest
  /** Milliseconds. */
  readonly now: number
  /** The signed note that the proofs are under. */
  readonly checkpoint: string
  readonly tasks: AsyncIterable<WrittenTask>
}

/** A frame that has tasks. */
export interface WrittenPart {
  readonly offset: number
  readonly bytes: number
  /** Each with the hash of its newest event. */
  readonly tasks: readonly { readonly task: string; readonly hash: string }[]
}

export interface SegmentWriter {
  /** The file, once. Rejects as `tasks` does. */
  readonly body: AsyncIterable<Uint8Array>
  /** Complete once `body` has ended. */
  readonly parts: readonly WrittenPart[]
  readonly counts: ExportWriter["counts"]
}

/** Text of one frame: some twenty pictures, read in a millisecond. */
const FRAME_BYTES = 128 * 1024

/** With a checksum, by which whoever decompresses it finds what was altered. */
const FRAME = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }

const compress = promisify(zstdCompress)

export function createSegmentWriter(options: SegmentOptions): SegmentWriter {
  const writer = createExportWriter()
  const parts: WrittenPart[] = []
  return {
    body: writeFrames(writeLines(options, writer), parts),
    parts,
    get counts() {
      return writer.counts
    },
  }
}

interface Line {
  readonly text: string
  /** Of a task's line. */
  readonly name?: WrittenPart["tasks"][number]
  /** Whether the next line begins a frame. */
  readonly endsFrame?: true
}

async function* writeLines(
  { checkpoint, digest, now, storage, tasks }: SegmentOptions,
  writer: ExportWriter,
): AsyncGenerator<Line> {
  const named = createNamedDefinitions(digest)
  yield { text: writer.begin({ createdAt: now, isSealed: false, selection: {} }) }
  yield { text: writer.add({ kind: "checkpoint", note: checkpoint }), endsFrame: true }
  for await (const { hash, record, task } of tasks) {
    named.add(task)
    yield { text: writer.add(record), name: { task: task.id, hash } }
  }
  for (const definition of await named.list(storage)) {
    yield { text: writer.add({ kind: "definition", definition }) }
  }
  yield { text: writer.end() }
}

async function* writeFrames(
  lines: AsyncIterable<Line>,
  parts: WrittenPart[],
): AsyncGenerator<Uint8Array> {
  const frames: Frame[] = []
  let offset = 0
  let texts: string[] = []
  let tasks: { readonly task: string; readonly hash: string }[] = []
  let size = 0

  async function end(): Promise<Uint8Array> {
    const text = Buffer.from(texts.join(""))
    const frame = await compress(text, FRAME)
    const { length: bytes } = frame
    if (tasks.length > 0) parts.push({ offset, bytes, tasks })
    frames.push({ bytes, textBytes: text.length })
    offset += bytes
    texts = []
    tasks = []
    size = 0
    return frame
  }

  for await (const { endsFrame, name, text } of lines) {
    texts.push(text)
    if (name !== undefined) tasks.push(name)
    size += text.length
    if (size >= FRAME_BYTES || endsFrame) yield await end()
  }
  if (texts.length > 0) yield await end()
  yield writeSeekTable(frames)
}
