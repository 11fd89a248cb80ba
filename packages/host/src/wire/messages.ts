/**
 * Messages on the pipe between a process and the one that started it: JSON behind its length in four bytes.
 * Hostile bytes may have taken the started process over, so the reader of its messages bounds their
 * length and checks what they hold.
 */
import type { BytePipe } from "./byte-pipe.ts"

/** The pipe's file descriptor in the started process; libraries might write to lower ones. */
export const PIPE = 3

const LENGTH_BYTES = 4

/** Resolves as `BytePipe.write` does. */
export function writeMessage(pipe: BytePipe, message: unknown): Promise<void> {
  const text = JSON.stringify(message)
  const frame = Buffer.alloc(LENGTH_BYTES + Buffer.byteLength(text))
  frame.writeUInt32BE(frame.byteLength - LENGTH_BYTES)
  frame.write(text, LENGTH_BYTES)
  return pipe.write(frame)
}

/** Undefined if the pipe ends, or if the next message is longer than `mostBytes` or is no JSON. */
export async function readMessage(pipe: BytePipe, mostBytes = Infinity): Promise<unknown> {
  const length = (await pipe.read(LENGTH_BYTES))?.readUInt32BE()
  if (length === undefined || length > mostBytes) return undefined
  const body = await pipe.read(length)
  if (body === undefined) return undefined
  try {
    return JSON.parse(body.toString()) as unknown
  } catch {
    return undefined
  }
}
