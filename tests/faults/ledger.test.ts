/** The ledger: what counts is on disk, and is read back as it was written. */
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { it } from "node:test"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { openLedger, readLedger } from "./ledger.ts"

it("a 202 counts once it is in the file, also where many are written at once", async () => {
  await using folder = await createTemporaryFolder()
  const path = join(folder.path, "ledger.ndjson")
  await using ledger = await openLedger(path)
  const requests = Array.from({ length: 50 }, (_, index) => index + 1)
  await Promise.all(
    requests.map(async (request) => {
      await ledger.asked(request)
      await ledger.accepted(request, `task-${request}`)
      assert.ok((await readFile(path, "utf8")).includes(`"task-${request}"`))
    }),
  )
  assert.equal(ledger.acceptedCount(), 50)
  await ledger.accepted(1, "another")
  const { asked, accepted } = await readLedger(path)
  assert.deepEqual(
    [...asked].toSorted((a, b) => a - b),
    requests,
  )
  assert.deepEqual([...(accepted.get(1) ?? [])], ["task-1", "another"])
})
