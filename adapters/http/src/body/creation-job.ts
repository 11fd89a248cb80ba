/**
 * What the server's thread and one that reads large bodies say to each other. A job's buffers are
 * handed over and empty afterwards; an answer is cloned where every other request waits, so it
 * holds the large text once and places in it for the rest.
 */
import type { SealedParameters } from "@safelight/core"
import { Refusal, type RefusalOptions } from "../errors/refusal.ts"
import type { ErrorCode } from "../errors/error-table.ts"
import type { CreationQuestion } from "./creation.ts"

export interface CreationJob extends CreationQuestion {
  readonly list: readonly Uint8Array<ArrayBuffer>[]
  readonly lengthBytes: number
  /** Whether the service checks by core's own models, so that the thread may do it. */
  readonly hasCoreModels: boolean
}

export type CreationAnswer =
  | {
      readonly kind: "creation"
      readonly model: string
      /** With places in `sealed.body` where there is one (`string-places.ts`). */
      readonly parameters: unknown
      readonly sealed?: SealedParameters
      readonly fingerprint?: string
    }
  | { readonly kind: "refused"; readonly refusal: PlainRefusal }
  /** What was thrown is a bug of ours. */
  | { readonly kind: "failed"; readonly error: unknown }

/** A `Refusal` as data: cloned, an error loses its class and its members. */
export interface PlainRefusal extends Omit<RefusalOptions, "cause"> {
  readonly code: ErrorCode
}

export function fromRefusal({ code, words, issues, headers }: Refusal): PlainRefusal {
  return { code, issues, headers, ...(words !== undefined && { message: words }) }
}

export function toRefusal({ code, ...options }: PlainRefusal): Refusal {
  return new Refusal(code, options)
}
