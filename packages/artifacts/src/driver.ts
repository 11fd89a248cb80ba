/**
 * What a storage of objects does differently from another: the driver that `createArtifactStorage` is written
 * over. An object is bytes under a key, such as `e3/task/key/random`: names of `a-z0-9_%-` joined by `/`,
 * or one of `.check/random/byte` and `.safelight/mark`. A driver rejects with errors of its own, which
 * `describeFailure` puts into words, or with those of `createUnavailable`.
 */
import type { Pause } from "./requests.ts"

export interface ArtifactDriver {
  /** The beginning of error messages: `The bucket`. */
  readonly name: string
  /** The size of every piece of a body but the last. A put holds two pieces in memory. */
  readonly pieceBytes: number
  /** Begins an object. The signal aborts if the put fails, and ends the writer's requests. */
  begin(key: string, signal: AbortSignal): Promise<ObjectWriter>
  /**
   * Opens an object. Rejects with `createMissing()` if there is none, which has to be certain. Resolves to
   * `past-end` if the storage says that the range begins past the last byte; `measure` is called then.
   */
  open(range: ObjectRange): Promise<ObjectReader | "past-end">
  /** Resolves once the removal is durable, also if there was no object. */
  remove(key: string, signal?: AbortSignal): Promise<void>
  /**
   * Every key that begins with `prefix`, which is empty or ends with a slash; other keys may be among them. The
   * keys of one folder are next to each other. If `most` is given, one request for so many is enough.
   */
  list(prefix: string, most?: number): AsyncIterable<string>
  /**
   * Stores a few bytes if there is no such object, and changes nothing if there is one. Of several calls
   * at once, in several processes, one stores its bytes, as far as the storage knows conditions.
   */
  storeIfAbsent(key: string, bytes: Uint8Array): Promise<void>
  /**
   * The size of an object; undefined if there is none. Called after each commit. Absent if a commit that resolved
   * proves the size.
   */
  measure?(key: string, signal?: AbortSignal): Promise<number | undefined>
  /** What puts have begun and not ended, in this process or another. Absent if a crash leaves nothing. */
  unfinished?(most?: number): AsyncIterable<UnfinishedObject>
  /** Rejects if nothing can be stored now. By default an object is stored, listed and removed. */
  check?(): Promise<void>
  /** The words for a failure of the storage, without secrets; undefined for a bug. */
  describeFailure?(error: unknown): string | undefined
  /** Waits before another try. Given by storages behind a network, whose connections break. */
  readonly pause?: Pause
}

/** The object is not there before `commit`, and never in part. */
export interface ObjectWriter {
  /**
   * Takes piece number `index`, from 0, of exactly `pieceBytes`. Called in order, perhaps while one call
   * before it runs. The memory is used again once it resolves.
   */
  write(piece: Uint8Array, index: number): Promise<void>
  /** Takes the last piece, perhaps empty. The object is whole and durable once this resolves. */
  commit(last: Uint8Array, index: number): Promise<void>
  /** Removes the remains, once no write runs any more, also after a commit that failed. */
  abandon(signal: AbortSignal): Promise<void>
}

export interface ObjectRange {
  readonly key: string
  /** First byte, from 0. */
  readonly start: number
  /** Last byte, inclusive; all the rest by default. */
  readonly end?: number
  /** The tag of a reader that broke off: an object with another one must not be read. */
  readonly tag?: string
  readonly signal?: AbortSignal
}

export interface ObjectReader {
  readonly totalBytes: number
  /** See `ArtifactReader.version`. */
  readonly version?: string
  /** If given, a reader that breaks off is opened again at a later byte on the condition of this tag. */
  readonly tag?: string
  /** As `ArtifactReader.read`. Not called past the end of the range, before which 0 is a failure. */
  read(into: Uint8Array): Promise<number>
  /** Safe to call twice. A read in progress rejects, or is the last one. */
  close(): Promise<void>
}

export interface UnfinishedObject {
  /** In milliseconds since the Unix epoch, by the storage's own clock: when it was last seen alive. */
  readonly at: number
  /** Resolves to whether it was there. */
  remove(): Promise<boolean>
}
