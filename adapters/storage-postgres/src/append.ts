/** Appending and admitting, by the writer. */
import assert from "node:assert/strict"
import { SafelightError, type Append, type Storage } from "@safelight/core"
import { assertConsistent } from "@safelight/store"
import { measureAppend, type Outcome } from "./change.ts"
import type { Writer } from "./writer.ts"

export type AppendMethods = Pick<Storage, "append" | "admit">

export function createAppendMethods(writer: Writer): AppendMethods {
  function write(
    append: Append,
    more: { readonly isJudged: boolean; readonly use?: Parameters<Writer["write"]>[0]["use"] },
  ): Promise<Outcome> {
    assertConsistent(append)
    const { isJudged, use } = more
    return writer.write({ append, isJudged, use, bytes: measureAppend(append) })
  }

  return {
    async append(append) {
      const outcome = await write(append, { isJudged: false })
      if (outcome.kind === "conflict") throw conflict(append)
    },
    async admit({ append, idempotency }) {
      assert.equal(append.expectedVersion, 0, "what is admitted is new")
      const outcome = await write(append, { isJudged: true, use: idempotency })
      if (outcome.kind === "conflict") throw conflict(append)
      return outcome
    },
  }
}

function conflict({ task, expectedVersion }: Append): SafelightError {
  const message = `task ${task} is not at version ${expectedVersion}`
  return new SafelightError({ code: "version-conflict", message })
}
