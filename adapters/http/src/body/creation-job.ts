/**
 * What the server's thread and one that reads large bodies say to each other. A job's buffers are
 * handed over and empty afterwards; an answer is cloned.
 */
import type { Json, SealedParameters } from "@safelight/core"
import { Refusal, type RefusalOptions } from "../errors/refusal.ts"
import type { ErrorCode } from "../errors/error-table.ts"
import type { CreationQuestion } from "./creation.ts"

export interface CreationJob extends ThreadQuestion {
  readonly list: readonly Uint8Array<ArrayBuffer>[]
  readonly lengthBytes: number
}

export interface ThreadQuestion extends CreationQuestion {
  /** Ids of those of core's models that the service checks by, so that the thread may do it. */
  readonly coreModels: readonly string[]
  /** The others that a thread may check by. */
  readonly ownModels?: OwnModels
}

/**
 * Where a thread gets models that aren't core's: it imports `module`, a URL, and calls its
 * `loadModels(argument)`.
 */
export interface ThreadModels {
  readonly module: string
  readonly argument: Json
}

export interface OwnModels extends ThreadModels {
  /** What the service's own say of their parameters: a thread doesn't check by others of the same id. */
  readonly descriptions: Readonly<Record<string, string>>
}

export type CreationAnswer =
  | {
      readonly kind: "creation"
      readonly model: string
      readonly parameters: unknown
      readonly sealed?: SealedParameters
      readonly fingerprint?: string
      /** Why the thread did not check by a model that it was to check by. */
      readonly lack?: string
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
