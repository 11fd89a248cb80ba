/**
 * The Merkle tree over the log: which leaf every event has, the tiles that make its root, and the checkpoints that were
 * signed. Events get their leaves after they were committed, by whoever asks for it, so an append waits for none of
 * this. While there is a tree, the commit of an event also notes that it has no leaf; only the commit that gives it one
 * removes the note. So no event is passed over, whichever process stops where. Errors are those of `TaskStorage`.
 */
export interface TreeStorage {
  /**
   * Begins the tree of this database, and notes every event that there is. Durable once resolved. Twice is the same as
   * once, and a call that was cut off is completed by the next. Until then there is no tree.
   */
  openTree(): Promise<void>
  /** Undefined before `openTree` has resolved. */
  readTree(): Promise<TreeHead | undefined>
  /**
   * Events without a leaf, those of a task in the order of their versions, and none whose version before has none and
   * is missing. It stops behind the note that reaches `limit` events, and has fewer only if there are no more. None
   * before `openTree` has resolved.
   */
  listUnsequenced(limit: number): Promise<UnsequencedEvents>
  /**
   * How many events have no leaf. One that was appended while the tree was opened may count twice. 0 before `openTree`
   * has resolved.
   */
  countUnsequenced(): Promise<number>
  /**
   * Gives events the next leaves in their order, removes their notes and replaces tiles, all or nothing; durable once
   * resolved. False, and nothing is changed, if the tree is no longer the one of `from`: of two that extend it, one does.
   */
  extendTree(extension: TreeExtension): Promise<boolean>
  /** The hashes of a tile, as many as there are: 1 to 256 of 32 bytes; undefined if there is no such tile. */
  readTile(place: TreeTilePlace): Promise<Uint8Array | undefined>
  /** The leaves of a task's events, by version; those that have none yet are missing. */
  readLeaves(task: string): Promise<readonly TreeLeaf[]>
  /**
   * The leaf of one event, from 0; undefined if it has none yet. Leaves are looked for by moments: with another one than
   * the event's own it may not be found. However many events the task has, the others are not looked at.
   */
  findLeaf(event: LeafEvent & Pick<UnsequencedEvent, "at">): Promise<number | undefined>
  /** What leaves stand for, from leaf `from` on, in their order; fewer than `limit` only at the end. */
  listLeaves(request: {
    readonly from: number
    readonly limit: number
  }): Promise<readonly LeafEvent[]>
  /** Keeps a signed checkpoint; durable once resolved. One of a size that has one already changes nothing. */
  keepCheckpoint(checkpoint: KeptCheckpoint): Promise<void>
  /** The largest that was kept, of at most `mostSize` leaves; undefined if there is none. */
  findCheckpoint(request: { readonly mostSize: number }): Promise<KeptCheckpoint | undefined>
}

export interface TreeHead {
  /** How many leaves. */
  readonly size: number
  /** 64 lower-case hexadecimal digits. */
  readonly root: string
}

export interface UnsequencedEvents {
  readonly events: readonly UnsequencedEvent[]
  /** Of these events; also of events that have a leaf by now. */
  readonly notes: readonly number[]
}

export interface UnsequencedEvent {
  readonly task: string
  readonly version: number
  /** Milliseconds. */
  readonly at: number
  readonly hash: string
}

export interface TreeTilePlace {
  readonly level: number
  /** From 0 within the level. */
  readonly index: number
}

export interface TreeTile extends TreeTilePlace {
  /** 1 to 256 hashes of 32 bytes. */
  readonly hashes: Uint8Array
}

export interface TreeExtension {
  readonly from: TreeHead
  readonly to: TreeHead
  /** All that `listUnsequenced` gave, as it gave it. */
  readonly unsequenced: UnsequencedEvents
  /** Those that are new, or wider than before. */
  readonly tiles: readonly TreeTile[]
}

export interface TreeLeaf {
  readonly version: number
  readonly hash: string
  /** From 0. */
  readonly index: number
}

/** The event that a leaf stands for. */
export interface LeafEvent {
  readonly task: string
  readonly version: number
}

export interface KeptCheckpoint {
  readonly size: number
  /** When it was signed, in milliseconds. */
  readonly at: number
  /** The signed note. */
  readonly note: string
}
