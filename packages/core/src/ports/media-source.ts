/**
 * Media by URL, fetched safely: what a request refers to, and what a provider has made. `fetch-guarded`
 * implements it, the engine and channels use it. It takes http(s) URLs and data URLs alike.
 */
import type { ArtifactKind } from "../models/artifact-kind.ts"
import type { AbortSignalLike } from "./clock.ts"

export interface MediaSource {
  /**
   * Opens the media at `url`. Rejects with `media_download_failed` if the host or its address is not
   * allowed, or the server fails or is too slow; with `media_too_large` past `maxBytes`; with
   * `unsupported_media_type` if the first bytes are none of `kinds`; with `aborted` on the signal.
   * The same codes reject while the body is read. `retryable` says whether the same request may
   * succeed later: after a network error, a body that ended early, a 408, a 429 or a 5xx, never after
   * a refusal or another status. Messages never hold the URL. A `RangeError` says that the request
   * itself is wrong. For a data URL the members about hosts and servers have no effect.
   */
  open(request: MediaRequest): Promise<Media>
}

export interface MediaRequest {
  readonly url: string
  readonly kinds: readonly ArtifactKind[]
  /** The most bytes that the body may have. */
  readonly maxBytes: number
  /**
   * Sent along, such as a provider's key, to the origin of `url` alone: from the first redirect to
   * another origin on they are not sent again. The download itself decides `Host`, `Connection`,
   * `Accept-Encoding`, `Content-Length`, `Range` and `If-Range`, so none of them may be given here.
   */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The only hosts that may be asked, redirects included: `media.example`, or `*.media.example` for all
   * below it, itself not. Spelled as a parsed URL spells them: lower case, Punycode, no port. Any host
   * by default, and none if the list is empty. The addresses behind the names are checked in any case.
   */
  readonly hosts?: readonly string[]
  /**
   * Origins that an operator has configured, as `http://media.example:8188`. They are asked in addition
   * to `hosts`, whatever their address, also on a private network. A redirect may lead to them as well, so
   * that they do not belong in a request for an untrusted URL.
   */
  readonly trustedOrigins?: readonly string[]
  /**
   * How often the server is asked for the rest of a body that breaks off: by a network error, or before
   * its declared length. The rest is taken only if its server says that it is exactly that, of the same
   * version; otherwise the body rejects with the error that broke it off. `maxBytes` and all times are those of
   * the whole body. Never by default.
   */
  readonly resumes?: number
  readonly signal?: AbortSignalLike
}

export interface Media {
  /** By the first bytes, never by what a server says. */
  readonly mimeType: string
  readonly kind: ArtifactKind
  /** How many bytes there are, if that is known beforehand; a body that has fewer rejects. */
  readonly bytes?: number
  /** To be read once; returning from the loop early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>
}
