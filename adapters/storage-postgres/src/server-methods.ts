/**
 * What is asked of the server itself. Its clock is read by the statement and not by its transaction,
 * whose moment would be the one at which it began.
 */
import assert from "node:assert/strict"
import type { Storage } from "@safelight/core"
import type { Sessions } from "./sessions.ts"

export type ServerMethods = Required<Pick<Storage, "check" | "readClock">>

const READ_CLOCK = {
  name: "read clock",
  text: "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint",
  values: [],
}

export function createServerMethods(sessions: Sessions): ServerMethods {
  return {
    async readClock() {
      const [row] = await sessions.readRows(READ_CLOCK)
      assert.ok(row, "a clock gives a row")
      return Number(row[0])
    },
    async check() {
      await sessions.readRows({ name: "check", text: "select 1", values: [] })
    },
  }
}
