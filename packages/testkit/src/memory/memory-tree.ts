/** The tree over the log, in the storage in memory. */
import type {
  KeptCheckpoint,
  LeafEvent,
  StoredEvent,
  TreeArchive,
  TreeHead,
  TreeStorage,
  UnsequencedEvent,
} from "@safelight/core"
import { createMemoryTreeArchive } from "./memory-tree-archive.ts"

/** SHA-256 of nothing: the root of the tree without leaves. */
const EMPTY_ROOT = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

export interface MemoryTree {
  readonly tree: TreeStorage & TreeArchive
  /** Notes that events have no leaf; without effect before there is a tree. */
  readonly noteEvents: (events: readonly StoredEvent[]) => void
}

export function createMemoryTree(log: ReadonlyMap<string, readonly StoredEvent[]>): MemoryTree {
  let head: TreeHead | undefined
  let lastNote = 0
  /** By number. */
  const notes = new Map<number, UnsequencedEvent>()
  let leaves: readonly UnsequencedEvent[] = []
  const tiles = new Map<string, Uint8Array>()
  const checkpoints = new Map<number, KeptCheckpoint>()

  function findIndex(task: string, version: number): number {
    return leaves.findIndex((leaf) => leaf.task === task && leaf.version === version)
  }

  function noteEvents(events: readonly StoredEvent[]): void {
    if (head === undefined) return
    for (const { at, hash, task, version } of events) {
      lastNote += 1
      notes.set(lastNote, { task, version, at, hash })
    }
  }

  const tree: TreeStorage & TreeArchive = {
    ...createMemoryTreeArchive(() => ({ leaves, tiles })),
    async openTree() {
      if (head !== undefined) return
      head = { size: 0, root: EMPTY_ROOT }
      noteEvents([...log.values()].flat())
    },
    readTree: async () => head,
    async listUnsequenced(limit) {
      const listed = [...notes].slice(0, limit)
      return { events: listed.map(([, event]) => event), notes: listed.map(([note]) => note) }
    },
    countUnsequenced: async () => notes.size,
    async extendTree({ from, tiles: changed, to, unsequenced }) {
      if (head?.size !== from.size || head.root !== from.root) return false
      head = to
      leaves = [...leaves, ...unsequenced.events]
      for (const { hashes, index, level } of changed) tiles.set(`${level}/${index}`, hashes)
      for (const note of unsequenced.notes) notes.delete(note)
      return true
    },
    readTile: async ({ index, level }) => tiles.get(`${level}/${index}`),
    async findLeaf({ task, version }) {
      const index = findIndex(task, version)
      return index === -1 ? undefined : index
    },
    async readLeaves(task) {
      return (log.get(task) ?? []).flatMap(({ hash, version }) => {
        const index = findIndex(task, version)
        return index === -1 ? [] : [{ version, hash, index }]
      })
    },
    listLeaves: async ({ from, limit }) => leaves.slice(from, from + limit).map(toLeafEvent),
    async keepCheckpoint(checkpoint) {
      if (!checkpoints.has(checkpoint.size)) checkpoints.set(checkpoint.size, checkpoint)
    },
    async findCheckpoint({ mostSize }) {
      const sizes = [...checkpoints.keys()].filter((size) => size <= mostSize)
      return checkpoints.get(Math.max(...sizes))
    },
  }
  return { tree, noteEvents }
}

function toLeafEvent({ task, version }: UnsequencedEvent): LeafEvent {
  return { task, version }
}
