/**
 * Where the bytes of artifacts live. Size and hash stand in the task's manifest; a locator is an
 * opaque text that only the storage which returned it can read.
 */
import type { AbortSignalLike } from "./clock.ts"

export interface ArtifactStorage {
  /**
   * Stores a stream under a new random locator of `task` and `key`. Once it resolves the bytes are
   * durable; when it rejects nothing is left that could be opened, at most an orphan that `list`
   * shows. Rejects with the body's own error where the body fails, with `artifacts-unavailable`
   * where the storage does, with `aborted` on the signal. Calling twice stores twice.
   */
  put(request: ArtifactPut): Promise<StoredArtifact>
  /**
   * Opens bytes `start` to `end` (inclusive; the whole artifact by default) for reading in order.
   * An `end` past the last byte stops there, a `start` past it reads nothing.
   * Rejects with `artifact-missing` where the locator holds nothing, `artifacts-unavailable` where
   * that can't be told. The caller closes the reader, also after a failure.
   */
  open(request: ArtifactOpen): Promise<ArtifactReader>
  /**
   * Stores a body under a locator that another storage gave out, as long as it has the bytes and the
   * hash it should: whole and durable, or not there. Twice is the same as once. Rejects as `put` does.
   */
  restore?(request: ArtifactRestore): Promise<RestoreOutcome>
  /** Removes the bytes; resolves also when there are none. */
  remove(locator: string): Promise<void>
  /** Every locator that holds bytes of `task`, those of unfinished attempts included. */
  list(task: string): Promise<readonly string[]>
  /**
   * Every locator that holds bytes, of any task, in no order, those of one task next to each other; what
   * comes or goes meanwhile is shown or not. Rejects with `artifacts-unavailable`.
   */
  listAll?(): AsyncIterable<string>
  /**
   * The mark of this storage: a text of 1 to 100 visible ASCII characters that is written once and
   * stays, so that a database knows the storage that holds its artifacts. Where there is none,
   * `proposed` is written, durably; of several that are proposed at once one stands, and every call
   * resolves to it. Undefined where there is none and none was proposed. No `list` shows it, no
   * sweep removes it. Rejects with `artifacts-unavailable`.
   */
  mark?(proposed?: string): Promise<string | undefined>
  /**
   * Removes what crashes left of puts that nobody ends any more. `now` is in milliseconds since the
   * Unix epoch, compared with the times that the storage keeps; how old is left over is for the storage
   * to say, and what is whole stays. Resolves to how much was removed, twice is safe. Rejects with
   * `artifacts-unavailable`. Absent where a put that is cut off leaves nothing.
   */
  sweepIncoming?(now: number): Promise<number>
  /** Rejects with `artifacts-unavailable` where nothing can be written now. */
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
  /**
   * Fills `into` from its start with the next bytes of the range, perhaps only partly; resolves to
   * how many, 0 at the end. One read at a time. Rejects with `artifacts-unavailable` where the
   * storage fails or the artifact has shrunk.
   */
  read(into: Uint8Array): Promise<number>
  /** Frees what the reader holds; safe to call twice. */
  close(): Promise<void>
}
