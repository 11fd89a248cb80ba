/**
 * Media by URL, fetched safely: what a request refers to, and what a provider has made. `fetch-guarded`
 * implements it, the engine and channels use it. It takes http(s) URLs and data URLs alike.
 */
import type { MediaKind } from "../models/media-url.ts"
import type { AbortSignalLike } from "./clock.ts"

export interface MediaSource {
  /**
   * Opens the media at `url`. Rejects with `media_download_failed` where it can't be had (the host or
   * its address is not allowed, the server fails or is too slow), `media_too_large` past `maxBytes`,
   * `unsupported_media_type` where its first bytes are none of `kinds`, `aborted` on the signal.
   * The same codes reject while the body is read. `retryable` says whether the same request may
   * succeed later: after a network error, a body that ended early, a 408, a 429 or a 5xx, never after
   * a refusal or another status. Messages never hold the URL. A `RangeError` says that the request
   * itself is wrong; a data URL takes no notice of what is said about hosts and servers.
   */
  open(request: MediaRequest): Promise<Media>
}

export interface MediaRequest {
  readonly url: string
  readonly kinds: readonly MediaKind[]
  /** Bound on the bytes of the body. */
  readonly maxBytes: number
  /**
   * Sent along, such as a provider's key, to the origin of `url` alone: from the first redirect to
   * another origin on they are not sent again. What the download itself decides is no header of
   * theirs: `Host`, `Connection`, `Accept-Encoding`, `Content-Length`, `Range`, `If-Range`.
   */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The only hosts that may be asked, redirects included: `media.example`, or `*.media.example` for all
   * below it, itself not. Spelled as a parsed URL spells them: lower case, Punycode, no port. Any host
   * by default, and none if the list is empty. Where their names lead is judged all the same.
   */
  readonly hosts?: readonly string[]
  /**
   * Origins that an operator has configured, as `http://media.example:8188`: asked wherever their names
   * lead, also on a private network, and beside `hosts`. A redirect may lead to them as well, so that
   * they do not belong in a request for a stranger's URL.
   */
  readonly trustedOrigins?: readonly string[]
  /**
   * How often the server is asked for the rest of a body that breaks off: by a network error, or before
   * its declared length. The rest is taken only if its server says that it is exactly that, of the same
   * version; otherwise the error stands that broke the body off. `maxBytes` and all times are those of
   * the whole body. Never by default.
   */
  readonly resumes?: number
  readonly signal?: AbortSignalLike
}

export interface Media {
  /** Told from the first bytes, never from what a server claims. */
  readonly mimeType: string
  readonly kind: MediaKind
  /** How many bytes there are, where that is known beforehand; a body that has fewer rejects. */
  readonly bytes?: number
  /** To be read once; returning from the loop early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>
}
