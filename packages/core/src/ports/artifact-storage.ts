/**
 * Where the bytes of artifacts are kept. Size and hash are in the task's manifest; a locator is an
 * opaque text that only the storage which returned it can read. Every method rejects with
 * `artifacts-unavailable` if the storage does not answer or refuses.
 */
import type { AbortSignalLike } from "./clock.ts"

export interface ArtifactStorage {
  /**
   * Stores a stream under a new random locator of `task` and `key`; durable once resolved. After a
   * rejection nothing can be opened, and at most an orphan is left that `list` shows. Rejects with the
   * body's own error if the body fails, and with `aborted` on the signal. Calling twice stores twice.
   */
  put(request: ArtifactPut): Promise<StoredArtifact>
  /**
   * Opens bytes `start` to `end` (inclusive; the whole artifact by default) for reading in order.
   * An `end` past the last byte stops there, a `start` past it reads nothing. Rejects with
   * `artifact-missing` if the locator holds nothing. The caller closes the reader, also after a failure.
   */
  open(request: ArtifactOpen): Promise<ArtifactReader>
  /**
   * Stores a body under a locator that another storage gave out, if the body has the size and the hash
   * that are named: whole and durable, or not there. Twice is the same as once. Rejects as `put` does.
   * Absent if the storage can't choose a locator.
   */
  restore?(request: ArtifactRestore): Promise<RestoreOutcome>
  /** Removes the bytes; resolves also if there are none. */
  remove(locator: string): Promise<void>
  /** Every locator that holds bytes of `task`, those of unfinished attempts included. */
  list(task: string): Promise<readonly string[]>
  /**
   * Every locator that holds bytes, of any task, in no order, those of one task next to each other.
   * Bytes that are stored or removed meanwhile are shown or not.
   */
  listAll?(): AsyncIterable<string>
  /**
   * The mark of this storage: a text of 1 to 100 visible ASCII characters that is written once and
   * stays, so that a database knows the storage that holds its artifacts. If there is none,
   * `proposed` is written, durably; of several that are proposed at once one is kept, and every call
   * resolves to it. Undefined if there is none and none was proposed. No `list` shows it, and no
   * sweep removes it.
   */
  mark?(proposed?: string): Promise<string | undefined>
  /**
   * Removes the remains of puts that a crash interrupted. `now` is in milliseconds since the Unix epoch,
   * compared with the times that the storage keeps. The storage decides from which age on a part is
   * abandoned; a whole artifact stays. Resolves to how much was removed; twice is safe. Absent if an
   * interrupted put leaves nothing.
   */
  sweepIncoming?(now: number): Promise<number>
  /** Resolves if something can be written now. */
  check(): Promise<void>
}

export interface ArtifactPut {
  readonly task: string
  readonly key: string
  readonly body: AsyncIterable<Uint8Array>
  readonly signal?: AbortSignalLike
}

export interface ArtifactRestore {
  /** As the manifest names it. */
  readonly locator: string
  readonly body: AsyncIterable<Uint8Array>
  readonly bytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
  readonly signal?: AbortSignalLike
}

export type RestoreOutcome =
  | "stored"
  /** The body is not what it should be; nothing is stored. */
  | "differs"
  /** This storage can't keep anything under such a locator. */
  | "foreign-locator"

export interface StoredArtifact {
  readonly locator: string
  readonly bytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

export interface ArtifactOpen {
  readonly locator: string
  /** First byte, from 0. */
  readonly start?: number
  /** Last byte, inclusive. */
  readonly end?: number
}

export interface ArtifactReader {
  /** Size of the whole artifact as stored, whatever range was asked for. */
  readonly totalBytes: number
  /** Another once the stored bytes were written again; absent if the storage can't tell. */
  readonly version?: string
  /**
   * Fills `into` from its start with the next bytes of the range, perhaps only partly; resolves to
   * how many, 0 at the end. One read at a time. Rejects with `artifacts-unavailable` if the storage
   * fails or the artifact has shrunk.
   */
  read(into: Uint8Array): Promise<number>
  /** Frees what the reader holds; safe to call twice. */
  close(): Promise<void>
}
