/**
 * A body that is resumed where it breaks off. Its reader sees one body, or the error that broke it off, even if
 * the request for the rest failed with another. At most one connection is open at a time.
 */
import { isSafelightError } from "@safelight/core"
import { findVersion, type Rest } from "./rest-of-body.ts"
import type { Answer } from "./send-request.ts"

export interface ResumeOptions {
  readonly resumes: number
  /** Requests the rest; rejects if the answer is not exactly that. */
  readonly askRest: (rest: Rest) => Promise<Answer>
  /** Translates the errors of `askRest` and of the chunks. */
  readonly toFault: (error: unknown) => unknown
}

type Body = Pick<Answer, "chunks" | "close">

export function resumeBody(first: Answer, { resumes, askRest, toFault }: ResumeOptions): Body {
  const version = findVersion(first.headers)
  let current: Body = first
  let left = resumes

  function isBreak(error: unknown): boolean {
    const fault = toFault(error)
    return isSafelightError(fault) && fault.retryable
  }

  /** Undefined if the rest can't be had. */
  async function findRest(startByte: number): Promise<Answer | undefined> {
    if (version === undefined) return undefined
    await current.close()
    while (left > 0) {
      left -= 1
      try {
        // oxlint-disable-next-line no-await-in-loop
        return await askRest({ version, startByte })
      } catch (error) {
        const fault = toFault(error)
        if (!isSafelightError(fault)) throw error
        if (!fault.retryable) return undefined
      }
    }
    return undefined
  }

  async function* read(): AsyncGenerator<Uint8Array, void> {
    for (let readBytes = 0; ;) {
      try {
        for await (const chunk of current.chunks) {
          readBytes += chunk.byteLength
          yield chunk
        }
        return
      } catch (error) {
        const rest = isBreak(error) ? await findRest(readBytes) : undefined
        if (rest === undefined) throw error
        current = rest
      }
    }
  }

  return { chunks: read(), close: () => current.close() }
}
