/**
 * Where a stream's texts go. A client that takes nothing is told nothing more until it does: what it missed
 * meanwhile is read again from where it stands, so no stream holds more than its last text.
 */
export interface TextSink {
  /** False if the client is behind: `onReady` says when it takes more. Without effect once it is over. */
  write(text: string): boolean
  /** Ends the answer as complete. */
  end(): void
}

export interface TextSinkListener {
  readonly onReady: () => void
  /** The client has left, or the answer has ended; called once. */
  readonly onOver: () => void
}

export interface TextHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}
