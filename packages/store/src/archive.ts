/** Moves finished tasks to segments of the archive, and back. */
import {
  SafelightError,
  type ArchivedStream,
  type ArchivePart,
  type ArchiveStorage,
} from "@safelight/core"
import { APPEND_STATEMENTS } from "./appends.ts"
import { ARCHIVE_STATEMENTS } from "./archive-statements.ts"
import { toArchivedSnapshot } from "./archived-snapshot.ts"
import { toArchivedRow, toSegment, type ArchivedStreams } from "./archived-streams.ts"
import { countOf, toStep, type Connections, type Step } from "./sql/driver.ts"
import type { Compiler } from "./sql/statement.ts"
import { createTreeArchive } from "./tree-archive.ts"
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
    ...createTreeArchive(connections, compiler),
  }
}

function createSegmentMethods(
  { commit, read }: Connections,
  compiler: Compiler,
): Pick<ArchiveStorage, "beginSegment" | "dropSegment" | "keepSegment" | "listSegments"> {
  const statements = ARCHIVE_STATEMENTS(compiler)
  return {
    async beginSegment({ at, withinMs }) {
      const around = { since: at - withinMs, until: at + withinMs }
      const steps = [
        toStep(statements.beginSegment, { at, ...around }),
        toStep(statements.giveUpSegments, around),
      ]
      const isBegun = await commit({ steps, isGuarded: true, alone: "archiveSegments" })
      return isBegun === true ? (await read(statements.findBegun, around))[0]?.id : undefined
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
      return (
        (await commit({ steps: [toStep(statements.dropSegment, { id })], isGuarded: true })) ===
        true
      )
    },
  }
}

function createMoves(
  { commit, read }: Connections,
  compiler: Compiler,
  archived: ArchivedStreams,
): Pick<ArchiveStorage, "archiveTasks" | "listArchivable" | "restoreTasks"> {
  const statements = ARCHIVE_STATEMENTS(compiler)
  const { insertEvent } = APPEND_STATEMENTS(compiler)
  const { boundDoubled } = TREE_STATEMENTS(compiler)

  /** The events have leaves, and the trigger notes them again: `listUnsequenced` looks such notes up. */
  function toRestoreSteps(part: ArchivePart, stream: ArchivedStream): Step[] {
    const { events, task } = stream
    const { hash, snapshot } = toArchivedRow(stream)
    return [
      toStep(statements.putBack, { hash, pointer: toArchivedSnapshot(part), snapshot, task }),
      ...events.map((event) => toStep(insertEvent, event)),
      toStep(boundDoubled, {}),
      toStep(statements.takeFromSegment, { segment: part.segment }),
    ]
  }

  return {
    async listArchivable({ after, below: belowTask, finishedBefore, limit }) {
      const looked = await read(statements.listNext, { after, belowTask, limit })
      const last = looked.at(-1)?.task
      if (last === undefined) return { tasks: [], next: null }
      const rows = await read(statements.listArchivable, { after, finishedBefore, last })
      return { tasks: rows.map(({ task }) => task), next: looked.length < limit ? null : last }
    },
    async archiveTasks({ part, tasks: moved }) {
      const tasks = moved.map(({ task }) => task)
      const newest = moved.map(({ hash }) => hash)
      const values = { tasks, newest, pointer: toArchivedSnapshot(part), segment: part.segment }
      const { countTasks, dropEvents, pointTasks } = statements
      const changes = [countTasks, pointTasks, dropEvents]
      return countOf(await commit({ steps: changes.map((each) => toStep(each, values)) }), 1)
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
