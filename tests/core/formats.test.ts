/**
 * What was written once is read for ever: the members of every event and the
 * lines of an export, as golden files hold them. A change that makes a test here fail is a new version of a
 * format: readers come first, and the files of the versions before stay as they are.
 */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { importStreams } from "@safelight/audit"
import { EVENT_DATA, EVENT_TYPES, parseModelDefinition, readModelFile } from "@safelight/core"
import { createMemoryStorage } from "@safelight/testkit"
import { describeSchema } from "./support/describe-schema.ts"
import { exportLines, NOW, toFile } from "./support/transfer-source.ts"
import { sha256 } from "./support/sha256.ts"

const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, "golden", name), "utf8")

describe("the frozen formats", () => {
  it("of events have the members that are listed, each of its kind", () => {
    const members = EVENT_TYPES.map((type) => [type, describeSchema(EVENT_DATA[type])])
    const files = ["event-members.json", "event-members-2.json", "event-members-3.json"]
    const written = Object.assign({}, ...files.map((file) => JSON.parse(read(file)))) as unknown
    assert.deepEqual(Object.fromEntries(members), written)
  })

  it("of models' definitions are as they were written, whatever else a file says", () => {
    const file = JSON.parse(read("model-file.json")) as unknown
    const body = read("definition-1.txt").trim()
    const model = readModelFile(file)
    assert.ok(model.kind === "model")
    assert.equal(model.model.definition, body)
    const definition = { kind: "model", digest: sha256([body]), body } as const
    assert.equal(parseModelDefinition(definition, sha256)?.definition, body)
  })

  // The second has members that are sealed.
  for (const file of ["export-1.ndjson", "export-2.ndjson"]) {
    it(`of exports are read, and written again with the same members: ${file}`, async () => {
      const storage = createMemoryStorage()
      const lines = read(file).split(/(?<=\n)/u)
      const open = toFile(lines)
      await importStreams({ storage, open, digest: sha256, now: NOW, withKeys: true })
      assert.deepEqual((await exportLines(storage)).map(toRecord), lines.map(toRecord))
      const sealed = lines.filter((line) => line.includes('"sealed":'))
      assert.equal(sealed.length, file === "export-1.ndjson" ? 0 : 9)
    })
  }
})

/** Members have no order in a line; whether the digest fits its own file is the import's to check. */
function toRecord(line: string): object {
  const { sha256: _digest, ...record } = JSON.parse(line) as Record<string, unknown>
  return record
}
