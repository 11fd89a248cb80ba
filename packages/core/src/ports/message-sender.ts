/**
 * Sends a message to an untrusted URL, safely: `fetch-guarded` implements it, webhooks use it. A receiver's
 * failure is returned as an outcome to record; it is not thrown.
 */
import type { AbortSignalLike } from "./clock.ts"

export interface MessageSender {
  /**
   * Why `url` could never be sent to, by its text alone; undefined if it may be. Where a name leads is judged
   * at each sending.
   */
  check(url: string): SendFailure | undefined
  /**
   * Sends one POST; no redirect is followed. Resolves within `timeoutMs`, of which reading the answer's body is
   * part: a body that is too slow or too large is cut, since the status has said what became of the message.
   * Never rejects.
   */
  send(request: SendRequest): Promise<SendOutcome>
  /** Resolves once every connection is closed; what is being sent is `called-off`. */
  close(): Promise<void>
}

export interface SendRequest {
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
  /** The most bytes of the answer's body that are read. */
  readonly answerBytes: number
  readonly signal?: AbortSignalLike
}

export type SendOutcome =
  | {
      readonly kind: "answered"
      readonly status: number
      /** The beginning of its body, as text; empty if the account that named the URL may not see it. */
      readonly body: string
      /** By its `Retry-After`. */
      readonly retryAfterMs?: number
    }
  | { readonly kind: "failed"; readonly failure: SendFailure }

/**
 * `url-not-allowed`: the URL itself. `address-not-allowed`: where its host leads, such as a private
 * network, or that it leads nowhere: by one word, so that nobody learns which names a private network has.
 * `own-addresses-unknown`: whether its host leads to this machine is unknown for now. `called-off`: by the signal.
 */
export type SendFailure =
  | "url-not-allowed"
  | "address-not-allowed"
  | "own-addresses-unknown"
  | "connection-failed"
  | "timed-out"
  | "answer-invalid"
  | "called-off"
