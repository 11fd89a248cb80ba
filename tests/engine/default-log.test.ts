/** What an engine says to whom when its host gave it no log: errors alone, on the console. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createErrorLog, SafelightError, SILENT_LOG, type Log } from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { completed, createScene } from "./support.ts"

describe("an engine without a log", () => {
  for (const [words, options, expected] of [
    ["writes on the console", { log: undefined }, true],
    ["is silent if the host asked for that", { log: SILENT_LOG }, false],
  ] as const) {
    it(`tries an append again for ever and ${words} that it fails`, async (t) => {
      const lines: string[] = []
      t.mock.method(console, "error", (line: string) => lines.push(line))
      const scene = createScene({
        channels: [createScriptedChannel({ submits: [completed()] })],
        probe: async (point) => {
          if (point === "dispatch:after-append") scene.storage.failAppends(Infinity)
        },
        ...options,
      })
      await scene.submit()
      await scene.clock.advance(1)
      assert.equal(lines.length, 0, "one that may pass in a moment is not told")
      await scene.clock.advance(60_000)
      assert.equal(
        lines.some((line) => line.startsWith("safelight: storage call failed {")),
        expected,
      )
      if (!expected) assert.equal(lines.length, 0)
    })
  }
})

describe("the log of errors", () => {
  function write(use: (log: Log) => void): readonly string[] {
    const lines: string[] = []
    use(createErrorLog({ console: { error: (line) => lines.push(line) } }))
    return lines
  }

  it("leaves warnings and everything below out", () => {
    const lines = write((log) => {
      log.info({}, "one")
      log.warn({}, "two")
    })
    assert.deepEqual(lines, [])
  })

  it("has the message, then the fields, and of a cause its name and code alone", () => {
    const cause = Object.assign(new Error("no route to 10.0.0.1"), { code: "EHOSTUNREACH" })
    const error = new SafelightError({ code: "storage-unavailable", message: "away", cause })
    const lines = write((log) => log.error({ task: "t", error }, "append failed"))
    const shown = {
      name: "SafelightError",
      code: "storage-unavailable",
      message: "away",
      causes: [{ name: "Error", code: "EHOSTUNREACH" }],
    }
    const fields = JSON.stringify({ task: "t", error: shown })
    assert.deepEqual(lines, [`safelight: append failed ${fields}`])
  })

  it("takes what was thrown as it is, if it is no error", () => {
    const thrown: { self?: unknown } = {}
    thrown.self = thrown
    const [line] = write((log) => log.error({ error: thrown }, "scheduled run failed"))
    assert.equal(line, 'safelight: scheduled run failed {"error":"[object Object]"}')
  })
})
