/**
 * Media by URL, fetched safely: what a request refers to, and what a provider has made. `fetch-guarded`
 * implements it, the engine and channels use it. It takes http(s) URLs and data URLs alike.
 */
import type { MediaKind } from "../models/media-url.ts"
import type { AbortSignalLike } from "./clock.ts"

export interface MediaSource {
  /**
   * Opens the media at `url`. Rejects with `media_download_failed` where it can't be had (the
   * address is not allowed, the server fails or is too slow), `media_too_large` past `maxBytes`,
   * `unsupported_media_type` where its first bytes are none of `kinds`, `aborted` on the signal.
   * The same codes reject while the body is read. Messages never hold the URL.
   */
  open(request: MediaRequest): Promise<Media>
}

export interface MediaRequest {
  readonly url: string
  readonly kinds: readonly MediaKind[]
  /** Bound on the bytes of the body. */
  readonly maxBytes: number
  /** Sent along, such as a provider's key; to the host of `url` alone, never where that redirects to. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The only hosts that may be asked, redirects included: `media.example`, or `*.media.example` for all
   * below it. Any by default.
   */
  readonly hosts?: readonly string[]
  /**
   * Origins that an operator has configured: asked wherever their names lead, also on a private
   * network, and beside `hosts`.
   */
  readonly trustedOrigins?: readonly string[]
  /**
   * How often a body that breaks off is gone on with from where it broke off, as long as its server
   * says that it is the same; never by default.
   */
  readonly resumes?: number
  readonly signal?: AbortSignalLike
}

export interface Media {
  /** Told from the first bytes, never from what a server claims. */
  readonly mimeType: string
  readonly kind: MediaKind
  /** To be read once; returning from the loop early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>
}
