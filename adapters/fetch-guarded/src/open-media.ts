/**
 * Turns a stream of bytes into media: bounded, with the type that its first bytes show. The body begins with
 * those bytes again. It ends its source once it was read, when its reader leaves, and when it fails. The source
 * of a body that is never read is ended by the deadline alone.
 */
import { fileTypeFromBuffer } from "file-type"
import { MEDIA_SAMPLE_BYTES, toMediaTypes, type Media, type MediaRequest } from "@safelight/core"
import { tooLarge, unsupportedType } from "./media-fault.ts"

export interface ByteSource {
  /** The size of all chunks together; undefined if it is not known. */
  readonly bytes: number | undefined
  readonly chunks: AsyncIterable<Uint8Array>
  /** Translates the errors of `chunks`. */
  toFault(error: unknown): unknown
  /** Throws `aborted` or `media_download_failed` once the deadline has fired. */
  throwIfAborted(): void
  /** Frees the connection behind the chunks; safe to call twice. */
  end(): Promise<void>
}

/** Ends the source when it rejects; otherwise the body does. */
export async function openMedia(source: ByteSource, request: MediaRequest): Promise<Media> {
  const chunks = bound(source.chunks, request.maxBytes)
  try {
    const head = await readHead(chunks)
    const sample = Buffer.concat(head).subarray(0, MEDIA_SAMPLE_BYTES)
    const [type] = toMediaTypes((await fileTypeFromBuffer(sample))?.mime, request.kinds, sample)
    source.throwIfAborted()
    if (type === undefined) throw unsupportedType(request.kinds)
    const { bytes } = source
    const size = bytes === undefined ? {} : { bytes }
    return { ...type, ...size, body: createBody(head, chunks, source) }
  } catch (error) {
    await source.end()
    throw source.toFault(error)
  }
}

async function* bound(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void> {
  let readBytes = 0
  for await (const chunk of chunks) {
    readBytes += chunk.byteLength
    if (readBytes > maxBytes) throw tooLarge(maxBytes)
    yield chunk
  }
}

async function readHead(chunks: AsyncIterator<Uint8Array, void>): Promise<readonly Uint8Array[]> {
  const head: Uint8Array[] = []
  let headBytes = 0
  while (headBytes < MEDIA_SAMPLE_BYTES) {
    // oxlint-disable-next-line no-await-in-loop
    const { value } = await chunks.next()
    if (value === undefined) break
    head.push(value)
    headBytes += value.byteLength
  }
  return head
}

function createBody(
  head: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
  source: ByteSource,
): AsyncIterable<Uint8Array> {
  async function* read(): AsyncGenerator<Uint8Array, void> {
    try {
      for (const chunk of head) {
        source.throwIfAborted()
        yield chunk
      }
      for await (const chunk of rest) {
        source.throwIfAborted()
        yield chunk
      }
    } catch (error) {
      throw source.toFault(error)
    } finally {
      await source.end()
    }
  }

  let isTaken = false
  return {
    [Symbol.asyncIterator]() {
      if (isTaken) throw new Error("a media body can be read once")
      isTaken = true
      const chunks = read()
      return {
        next: () => chunks.next(),
        // A generator that was never started skips its finally block.
        async return() {
          await source.end()
          return chunks.return()
        },
      }
    },
  }
}
