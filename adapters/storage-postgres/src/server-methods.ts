/**
 * What is asked of the server itself. Its clock is read by the statement and not by its transaction,
 * whose moment would be the one at which it began.
 */
import assert from "node:assert/strict"
import type { Storage } from "@safelight/core"
import type { Sessions } from "./sessions.ts"
import type { Writer } from "./writer.ts"

export type ServerMethods = Required<Pick<Storage, "check" | "readClock">>

const READ_CLOCK = {
  name: "read clock",
  text: "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint",
  values: [],
}

const ANSWER = { name: "check", text: "select 1", values: [] }

export interface ServerParts {
  readonly writer: Writer
  readonly sessions: Sessions
  readonly taking: Sessions
}

export function createServerMethods({ writer, sessions, taking }: ServerParts): ServerMethods {
  return {
    async readClock() {
      const [row] = await sessions.readRows(READ_CLOCK)
      assert.ok(row, "a clock gives a row")
      return Number(row[0])
    },
    /** In this order: where connections are few, those that commit have theirs before the others. */
    async check() {
      await writer.prove()
      await taking.readRows(ANSWER)
      await sessions.readRows(ANSWER)
    },
  }
}
