/**
 * Old parts of the tree over the log, which leave the database as finished tasks do: a bundle has 65,536 leaves, and is a
 * file beside the artifacts. Leaves never change, so none comes back, and every read gives what it gave before. Errors are
 * those of `TaskStorage`.
 */

/** The leaves of a bundle: those of 256 tiles. */
export const BUNDLE_LEAVES = 65_536

export interface TreeArchive {
  /**
   * The oldest bundle in the database. Undefined unless it has all its leaves, and their events are from before `before`
   * (ms); undefined also if another process archives it meanwhile.
   */
  readBundle(request: { readonly before: number }): Promise<TreeBundle | undefined>
  /**
   * Removes what the file of a bundle has, all or nothing; durable once resolved. False, and nothing is changed, if the
   * bundle is not the oldest in the database any more.
   */
  archiveBundle(bundle: ArchivedBundle): Promise<boolean>
  /** Those that are archived, oldest first. */
  listBundles(): Promise<readonly ArchivedBundle[]>
}

export interface TreeBundle {
  /** From 0: its first leaf is `65,536 × id`. */
  readonly id: number
  /** The hashes of its tiles of level 0, one after the other: 65,536 of 32 bytes. */
  readonly tiles: Uint8Array
  /** In their order. The first leaves may stand in the last run of the bundle before, and that run's end in the next. */
  readonly runs: readonly LeafRun[]
}

/** What leaves stand for that came in one commit: at most 256 of them. */
export interface LeafRun {
  /** Of the first leaf. */
  readonly position: number
  /** The earliest and the latest moment of their events, ms. */
  readonly firstAt: number
  readonly lastAt: number
  readonly entries: readonly (readonly [task: string, version: number])[]
}

export interface ArchivedBundle {
  readonly id: number
  /** When it was written, ms since the Unix epoch. */
  readonly at: number
  /** The earliest and the latest moment of its runs, ms. */
  readonly firstAt: number
  readonly lastAt: number
  /** Of the artifact storage. */
  readonly locator: string
  readonly bytes: number
  /** Of the file: 64 lower-case hexadecimal digits. */
  readonly sha256: string
  /** Of its end, which has the runs. */
  readonly runsSha256: string
}

/**
 * Reads what was archived. Both reject with `storage-unavailable` if it can't be read for now, and with `storage-corrupt` if
 * it is gone, or not what was archived.
 */
export interface BundleReader {
  /** The hashes of tile `index` of level 0, whose root is `root`. */
  readTile(request: {
    readonly bundle: ArchivedBundle
    readonly index: number
    readonly root: Uint8Array
  }): Promise<Uint8Array>
  /** The runs that have one of the leaves from `from` to `to`, exclusive, and an event of around `at` if that is told. */
  readRuns(request: {
    readonly bundle: ArchivedBundle
    readonly from: number
    readonly to: number
    readonly at?: number
  }): Promise<readonly LeafRun[]>
}
