/**
 * What passes between the pool and its workers. Everything here is copied or transferred between
 * threads, so it is plain data; the prompt has no directives left in it.
 */
import type {
  FailureCode,
  ImageEditParameters,
  ReferenceToVideoParameters,
  TextToImageParameters,
} from "@safelight/core"

export type RenderJob =
  | { readonly kind: "picture"; readonly parameters: TextToImageParameters }
  | {
      readonly kind: "edit"
      readonly parameters: ImageEditParameters
      readonly images: readonly Uint8Array<ArrayBuffer>[]
    }
  | {
      readonly kind: "video"
      readonly parameters: ReferenceToVideoParameters
      readonly images: readonly Uint8Array<ArrayBuffer>[]
      readonly videos: readonly Uint8Array<ArrayBuffer>[]
      readonly audios: readonly Uint8Array<ArrayBuffer>[]
    }
  /** Ends the worker: the sandbox's way to show what becomes of a rendering then. */
  | { readonly kind: "crash" }

export interface RenderedOutput {
  readonly mimeType: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Measured; video only. */
  readonly durationMs?: number
}

export interface Rendered {
  readonly kind: "rendered"
  readonly outputs: readonly RenderedOutput[]
  readonly inputVideosMs?: readonly number[]
}

export type RenderResult =
  | Rendered
  /** The media of the request are at fault. */
  | { readonly kind: "refused"; readonly code: FailureCode }
  /** We are: `detail` says where, without a word of the request. */
  | { readonly kind: "broken"; readonly detail: string }

export type WorkerMessage = { readonly kind: "progress"; readonly progress: number } | RenderResult

/** Where an error arose: its name and its frames, since a message may quote the request. */
export function toDetail(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const frames = error.stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? []
  return [error.name, ...frames.slice(0, 8)].join("\n")
}
