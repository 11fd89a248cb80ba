/**
 * What passes between the pool and its processes: plain JSON. Media and results pass as files in a
 * folder of the rendering's own, named here on this side alone. If hostile media
 * have taken a process over, this side still accepts only numbers, one of the codes below, a few claims that
 * the machine has no room, and a few words for the log.
 */
import type { FailureCode, ImageEditParameters, TextToImageParameters } from "@safelight/core"
import type { ReferenceSound, ReferenceVideo, VideoRequest } from "@safelight/painter"

/** What is behind `image_urls`, `video_urls` and `audio_urls`, in their order. */
export interface ReferenceMedia {
  /** Paths of files: pictures are drawn with. */
  readonly images: readonly string[]
  readonly videos: readonly ReferenceVideo[]
  readonly audios: readonly ReferenceSound[]
}

export type RenderJob =
  | { readonly kind: "picture"; readonly parameters: TextToImageParameters }
  | {
      readonly kind: "edit"
      readonly parameters: ImageEditParameters
      readonly images: readonly string[]
    }
  | ({ readonly kind: "video"; readonly parameters: VideoRequest["parameters"] } & ReferenceMedia)
  /** Ends the process: the sandbox's way to show what becomes of a rendering then. */
  | { readonly kind: "crash" }

export interface WorkOrder {
  readonly job: RenderJob
  /** Where the results go, by `toOutputFile`. */
  readonly folder: string
}

export type WorkerMessage =
  /** Begins to read one of the media. */
  | { readonly kind: "reading" }
  /** All media are read. */
  | { readonly kind: "painting" }
  | { readonly kind: "progress"; readonly progress: number }
  | WorkResult

/** What a process finds wrong with media. */
const WORK_REFUSALS = [
  "media_too_large",
  "media_too_small",
  "media_unreadable",
  "unsupported_media_type",
] as const satisfies readonly FailureCode[]

export type WorkRefusal = (typeof WORK_REFUSALS)[number]

export function isWorkRefusal(code: unknown): code is WorkRefusal {
  return WORK_REFUSALS.some((each) => each === code)
}

/** How a job ended, as its process says. */
export type WorkResult =
  | { readonly kind: "rendered" }
  /** The media of the request are at fault. */
  | { readonly kind: "refused"; readonly code: WorkRefusal }
  /** The machine is at fault: its disk is full, say. */
  | { readonly kind: "unavailable"; readonly detail: string }
  /** Our own code is: `detail` says where, without a word of the request. */
  | { readonly kind: "broken"; readonly detail: string }

/** How a job ended, as its process said or as its host saw. */
export type WorkEnd =
  | Exclude<WorkResult, { readonly kind: "refused" }>
  | { readonly kind: "refused"; readonly code: FailureCode; readonly detail?: string }
  /** The process was gone before it began, which has nothing to do with the job. */
  | { readonly kind: "not-started"; readonly detail: string }

export interface RenderedOutput {
  readonly mimeType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface Rendered {
  readonly kind: "rendered"
  readonly outputs: readonly RenderedOutput[]
}

export type RenderResult = Rendered | Exclude<WorkEnd, { readonly kind: "rendered" }>

/** The types of a job's results, in order. */
export function toOutputTypes(job: RenderJob): readonly string[] {
  switch (job.kind) {
    case "picture":
      return ["image/png"]
    case "edit":
      return Array.from({ length: job.parameters.count }, () => {
        return `image/${job.parameters.output_format}`
      })
    case "video":
      return ["video/mp4"]
    case "crash":
      return []
  }
}

/** Files that the process reads. */
export function countMedia(job: RenderJob): number {
  return job.kind === "edit" || job.kind === "video" ? job.images.length : 0
}

/** Where an error arose: its name, its code and its frames, since a message may quote the request. */
export function toDetail(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const code = "code" in error && typeof error.code === "string" ? ` ${error.code}` : ""
  const frames = error.stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? []
  return [`${error.name}${code}`, ...frames.slice(0, 8)].join("\n")
}
