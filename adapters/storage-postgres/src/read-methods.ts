/** What the port reads by key. Each call sees every write that was acknowledged before it. */
import type { Storage } from "@safelight/core"
import {
  fromArtifactRecord,
  fromEventRecord,
  fromInputRecord,
  type ArtifactsTable,
  type EventsTable,
  type InputsTable,
  type StoreStatements,
} from "@safelight/store"
import { createHeadReader } from "./head-reader.ts"
import type { Sessions } from "./sessions.ts"

export type ReadMethods = Pick<Storage, "readTask" | "readArtifacts" | "readEvents" | "readInput">

export function createReadMethods(sessions: Sessions, { read }: StoreStatements): ReadMethods {
  return {
    readTask: createHeadReader(sessions),
    async readArtifacts(task) {
      const records = await sessions.read<ArtifactsTable>(read.findArtifacts, { task })
      return records.map(fromArtifactRecord)
    },
    async readEvents(task) {
      const records = await sessions.read<EventsTable>(read.findEvents, { task })
      return records.map(fromEventRecord)
    },
    async readInput({ task, name }) {
      const [record] = await sessions.read<InputsTable>(read.findInput, { task, name })
      return record && fromInputRecord(record)
    },
  }
}
