/** Moves finished tasks to segments of the archive, and back. */
import {
  SafelightError,
  toArtifactRows,
  type ArchivedStream,
  type ArchivePart,
  type ArchiveStorage,
} from "@safelight/core"
import { APPEND_STATEMENTS } from "./appends.ts"
import { ARCHIVE_STATEMENTS } from "./archive-statements.ts"
import { toArchivedSnapshot } from "./archived-snapshot.ts"
import {
  toArchivedHead,
  toArchivedRow,
  toSegment,
  type ArchivedStreams,
} from "./archived-streams.ts"
import { countOf, toStep, type Connections, type Step } from "./sql/driver.ts"
import type { Compiler } from "./sql/statement.ts"
import { TREE_STATEMENTS } from "./tree-statements.ts"

export function createArchiveMethods(
  connections: Connections,
  compiler: Compiler,
  archived: ArchivedStreams,
): ArchiveStorage {
  return {
    useArchive: (reader) => archived.useArchive(reader),
    ...createSegmentMethods(connections, compiler),
    ...createMoves(connections, compiler, archived),
  }
}

function createSegmentMethods(
  { commit, read }: Connections,
  compiler: Compiler,
): Pick<ArchiveStorage, "beginSegment" | "dropSegment" | "keepSegment" | "listSegments"> {
  const statements = ARCHIVE_STATEMENTS(compiler)
  return {
    async beginSegment({ at, since }) {
      const steps = [
        toStep(statements.beginSegment, { at, since }),
        toStep(statements.giveUpSegments, { since }),
      ]
      const isBegun = await commit({ steps, isGuarded: true, alone: "archiveSegments" })
      return isBegun === true ? (await read(statements.findBegun, { since }))[0]?.id : undefined
    },
    async keepSegment(segment) {
      const steps = [toStep(statements.keepSegment, segment)]
      if ((await commit({ steps, isGuarded: true })) === true) return
      const message = `segment ${segment.id} of the archive was given up, since writing it took too long`
      throw new SafelightError({ code: "version-conflict", message })
    },
    async listSegments() {
      return (await read(statements.listSegments, {})).map(toSegment)
    },
    async dropSegment(id) {
      await commit({ steps: [toStep(statements.dropSegment, { id })] })
    },
  }
}

function createMoves(
  { commit, read }: Connections,
  compiler: Compiler,
  archived: ArchivedStreams,
): Pick<ArchiveStorage, "archiveTasks" | "listArchivable" | "restoreTasks"> {
  const statements = ARCHIVE_STATEMENTS(compiler)
  const { insertArtifact, insertEvent } = APPEND_STATEMENTS(compiler)
  const { boundDoubled } = TREE_STATEMENTS(compiler)

  /** The events have leaves, and the trigger notes them again: `listUnsequenced` looks such notes up. */
  function toRestoreSteps(part: ArchivePart, stream: ArchivedStream): Step[] {
    const { events, task } = stream
    const { hash, snapshot } = toArchivedRow(stream)
    const artifacts = toArtifactRows(toArchivedHead(stream).task)
    return [
      toStep(statements.putBack, { hash, pointer: toArchivedSnapshot(part), snapshot, task }),
      ...events.map((event) => toStep(insertEvent, event)),
      ...artifacts.map((row) => toStep(insertArtifact, row)),
      toStep(boundDoubled, {}),
    ]
  }

  return {
    async listArchivable({ below: belowTask, ...request }) {
      const rows = await read(statements.listArchivable, { ...request, belowTask })
      return rows.map(({ task }) => task)
    },
    async archiveTasks({ part, tasks: moved }) {
      const tasks = moved.map(({ task }) => task)
      const newest = moved.map(({ hash }) => hash)
      const values = { tasks, newest, pointer: toArchivedSnapshot(part) }
      const { dropArtifacts, dropEvents, pointTasks } = statements
      const steps = [pointTasks, dropEvents, dropArtifacts].map((each) => toStep(each, values))
      return countOf(await commit({ steps }), 0)
    },
    async restoreTasks(part) {
      let count = 0
      for (const stream of await archived.readPart(part)) {
        const steps = toRestoreSteps(part, stream)
        // oxlint-disable-next-line no-await-in-loop -- each moves the bound of the notes
        count += Number(await commit({ steps, isGuarded: true, alone: "tree" }))
      }
      return count
    },
  }
}
