/** What the port reads by key. Each call sees every write that was acknowledged before it. */
import type { Input, Storage } from "@safelight/core"
import {
  fromArtifactRecord,
  fromEventRecord,
  type ArtifactsTable,
  type EventsTable,
  type StoreStatements,
} from "@safelight/store"
import { toTextArray } from "./binary-array.ts"
import { createGatheredRead } from "./gathered-read.ts"
import { createHeadReader } from "./head-reader.ts"
import type { Sessions } from "./sessions.ts"

export type ReadMethods = Pick<Storage, "readTask" | "readArtifacts" | "readEvents" | "readInput">

const FIND_INPUTS = {
  name: "find inputs",
  text: "select task, name, salt, body from inputs where task = any($1::text[])",
}

type InputRow = readonly [task: string, name: string, salt: string, body: string]

/** All inputs of a task by name: nearly always the request alone, asked for with every start. */
function createInputReader(
  sessions: Sessions,
): (task: string) => Promise<ReadonlyMap<string, Input> | undefined> {
  return createGatheredRead(async (tasks) => {
    const rows = await sessions.readRows({ ...FIND_INPUTS, values: [toTextArray(tasks)] })
    const byTask = Map.groupBy(rows as readonly InputRow[], ([task]) => task)
    return new Map([...byTask].map(([task, inputs]) => [task, () => toInputs(inputs)]))
  })
}

function toInputs(rows: readonly InputRow[]): ReadonlyMap<string, Input> {
  return new Map(rows.map(([task, name, salt, body]) => [name, { task, name, salt, body }]))
}

export function createReadMethods(sessions: Sessions, { read }: StoreStatements): ReadMethods {
  const readInputs = createInputReader(sessions)
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
      return (await readInputs(task))?.get(name)
    },
  }
}
