/**
 * The messages between the server and a thread that reads large bodies. The buffers of a job are
 * transferred, so they are empty afterwards; an answer is cloned.
 */
import type { Json, SealedParameters } from "@safelight/core"
import { Refusal, type RefusalOptions } from "../errors/refusal.ts"
import type { ErrorCode } from "../errors/error-table.ts"
import type { CreationQuestion } from "./creation.ts"

export interface CreationJob extends CreationQuestion {
  readonly list: readonly Uint8Array<ArrayBuffer>[]
  readonly lengthBytes: number
}

/** The models by which a thread may check: what it is started with. */
export interface KnownModels {
  /** Ids of core's that the service has. */
  readonly coreModels: readonly string[]
  readonly threadModels?: ThreadModels
  /** How the service's other models describe their parameters, by id. */
  readonly descriptions: ReadonlyMap<string, string>
}

/**
 * How a thread loads models that aren't core's: it imports `module`, a URL, and calls its
 * `loadModels(argument)`.
 */
export interface ThreadModels {
  readonly module: string
  readonly argument: Json
}

export type CreationAnswer =
  | {
      readonly kind: "creation"
      readonly model: string
      readonly parameters: unknown
      readonly sealed?: SealedParameters
      readonly fingerprint?: string
      /** Why the thread could not check by a model that it should know. */
      readonly lack?: string
    }
  | { readonly kind: "refused"; readonly refusal: PlainRefusal }
  /** A bug of ours was thrown. */
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
