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
import type { Reader } from "./reader.ts"

export type ReadMethods = Pick<Storage, "readTask" | "readArtifacts" | "readEvents" | "readInput">

export function createReadMethods(reader: Reader, { read }: StoreStatements): ReadMethods {
  return {
    readTask: (id) => reader.readHead(id),
    async readArtifacts(task) {
      return reader.all<ArtifactsTable>(read.findArtifacts, { task }).map(fromArtifactRecord)
    },
    async readEvents(task) {
      return reader.all<EventsTable>(read.findEvents, { task }).map(fromEventRecord)
    },
    async readInput({ task, name }) {
      const [record] = reader.all<InputsTable>(read.findInput, { task, name })
      return record && fromInputRecord(record)
    },
  }
}
