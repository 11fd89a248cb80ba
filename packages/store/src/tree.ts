/**
 * The tree over the log: the commit that gives events their leaves also removes the notes that they have none. Its first
 * step changes the tree's row only if it has the size and the root that were read, and the other steps are stored with it
 * or not at all: so two sequencers, or one that is killed, can't give an event two leaves. A task's events have leaves in
 * the order of their versions, since an event is appended only after the one before it is visible.
 */
import type { TreeExtension, TreeStorage } from "@safelight/core"
import type { ArchivedStreams } from "./archived-streams.ts"
import { toStep, type Connections, type Step } from "./sql/driver.ts"
import type { Compiler } from "./sql/statement.ts"
import { createBundleReads } from "./tree-archive.ts"
import { createLeafMethods, toEntriesRows } from "./tree-leaves.ts"
import { createNoteList, toNoteRanges } from "./tree-notes.ts"
import { createTreeOpening } from "./tree-opening.ts"
import { TREE_STATEMENTS } from "./tree-statements.ts"

export function createTreeMethods(
  connections: Connections,
  compiler: Compiler,
  archived: ArchivedStreams,
): TreeStorage {
  const { commit, read } = connections
  const statements = TREE_STATEMENTS(compiler)
  const bundles = createBundleReads(connections, compiler, archived)
  const { hasLeaf, ...leaves } = createLeafMethods(connections, compiler, { archived, bundles })

  function toSteps({ from, tiles, to, unsequenced }: TreeExtension): Step[] {
    const { events, notes } = unsequenced
    const moved = { ...to, fromRoot: from.root, fromSize: from.size }
    return [
      toStep(statements.moveTree, moved),
      ...toEntriesRows(from.size, events).map((row) => toStep(statements.insertEntries, row)),
      ...tiles.map(({ hashes, index, level }) =>
        toStep(statements.keepTile, { level, position: index, hashes }),
      ),
      ...toNoteRanges(notes).map((range) => toStep(statements.dropNotes, range)),
    ]
  }

  return {
    ...leaves,
    openTree: createTreeOpening(connections, compiler),
    readTree: async () => (await read(statements.readTree, {}))[0],
    listUnsequenced: createNoteList(connections, compiler, hasLeaf),
    async countUnsequenced() {
      const [counted] = await read(statements.countNoted, {})
      return counted?.unsequenced ?? 0
    },
    async extendTree(extension) {
      return (await commit({ steps: toSteps(extension), isGuarded: true })) === true
    },
    async readTile({ index, level }) {
      const [tile] = await read(statements.findTile, { level, position: index })
      return tile === undefined && level === 0 ? bundles.readTile(index) : tile?.hashes
    },
    async keepCheckpoint(checkpoint) {
      await commit({ steps: [toStep(statements.keepCheckpoint, checkpoint)] })
    },
    async findCheckpoint({ mostSize }) {
      return (await read(statements.findCheckpoint, { mostSize, limit: 1 }))[0]
    },
  }
}
