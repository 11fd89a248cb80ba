/** What the way to the server keeps of a connection from one transaction to the next: a pooler between may keep little. */
export interface Keeping {
  /** Whether each connection has a session of its own for as long as it lasts. */
  readonly sessions: boolean
  /** Whether a statement that was prepared by name can be carried out in a later transaction. */
  readonly names: boolean
  /** Whether settings that are sent with the connection hold in every transaction. */
  readonly settings: boolean
}

/** A server that is reached directly, or through a pooler that works by session. */
export const KEEPS_ALL: Keeping = { sessions: true, names: true, settings: true }
