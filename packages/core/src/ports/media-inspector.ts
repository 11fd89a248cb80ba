/**
 * Determines type, size and duration of media from their bytes, and never from what a provider or a
 * client says: charges and answers follow from it. `media-inspector` implements it, the engine uses it.
 */
import type { MediaKind } from "../models/media-url.ts"
import type { AbortSignalLike } from "./clock.ts"

export interface MediaInspector {
  /**
   * Rejects with `unsupported_media_type` if the first bytes are none of `kinds`; with
   * `media_unreadable` if a video or a sound can't be read to its last packet, or reading it takes
   * more time or memory than it may; with `aborted` on the signal; and as `read` does. Any other error,
   * such as `inspector-unavailable`, says that the machine could not do it: it may be tried again.
   */
  inspect(media: InspectedMedia): Promise<MediaFacts>
  /** Frees what it holds: processes. */
  close(): Promise<void>
}

export interface InspectedMedia {
  /** Whose media it is: what one account has inspected must not make another's wait for all of it. */
  readonly account: string
  /** How many bytes there are. */
  readonly bytes: number
  /** What they may be, the wanted first: a container may hold sound alone or pictures too. */
  readonly kinds: readonly MediaKind[]
  /** The bytes from `start` up to `end`, which it does not include; asked for in any order. */
  read(start: number, end: number): Promise<Uint8Array>
  readonly signal: AbortSignalLike
}

export interface MediaFacts {
  readonly kind: MediaKind
  /** `video/mp4`; as `MediaSource` names types. */
  readonly mimeType: string
  /** Integer milliseconds of the picture or the sound; undefined for images. */
  readonly durationMs?: number
  /** Pixels of a video as it is displayed, rotation applied. */
  readonly size?: { readonly width: number; readonly height: number }
}
