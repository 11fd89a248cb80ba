/**
 * A byte of an artifact changes on the disk, as in a bucket that says nothing of it: whoever downloads the
 * artifact whole sees that it failed, the log says which it is, and `audit artifacts` finds it.
 */
import assert from "node:assert/strict"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { createKey } from "@safelight/access"
import type { LogFields, SubmitOutcome } from "@safelight/core"
import { createService, DEFAULTS, loadConfiguration } from "safelight"
import { createRawClient } from "../../support/raw-client.ts"
import { until } from "../../support/until.ts"
import { PICTURE, recordTasks } from "../command/recorded-tasks.ts"
import { runCommand, temporaryFolder } from "../command/command-process.ts"

const SMALL_BYTES = 1_000
const LARGE_BYTES = 3_000_000

function picture(bytes: number): SubmitOutcome {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(bytes).fill(112)
  }
  return { kind: "completed", outputs: [{ mimeType: "image/png", open: body }] }
}

/** A service of one finished picture with a changed byte in the middle of its file. */
async function serveChanged(t: TestContext, bytes: number, verifyReads?: false) {
  const folder = await temporaryFolder(t)
  const data = join(folder, "data")
  const [id = ""] = await recordTasks(data, [{ model: PICTURE, outcome: picture(bytes) }])
  const errors: [message: string, fields: LogFields][] = []
  const service = await createService({
    configuration: {
      ...DEFAULTS,
      port: 0,
      stopGraceMs: 0,
      data,
      ...(verifyReads === undefined ? {} : { verifyReads }),
    },
    log: {
      info: () => {},
      warn: () => {},
      error: (fields, message) => void errors.push([message, fields]),
    },
  })
  t.after(() => service.stop())
  const [artifact] = (await service.storage.readTask(id))?.task.artifacts ?? []
  const file = await open(join(data, "artifacts", artifact?.locator ?? ""), "r+")
  await file.write("q", bytes >> 1)
  await file.close()
  const { key } = await createKey({ keys: service.storage, account: "default", now: Date.now() })
  const path = `/v1/tasks/${id}/artifacts/image_1/content`

  /** All that comes until the connection ends. */
  async function download(headers = ""): Promise<{ head: string; body: string }> {
    const client = createRawClient(service.url)
    const words = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${headers}`
    client.send(`${words}Connection: close\r\n\r\n`)
    const text = await client.ended()
    const end = text.indexOf("\r\n\r\n") + 4
    return { head: text.slice(0, end), body: text.slice(end) }
  }
  return { id, folder, errors, download }
}

/** The lines of the log that name an artifact. */
function linesOf(id: string, errors: readonly (readonly [string, LogFields])[]): string[] {
  return errors.filter(([, { task }]) => task === id).map(([message]) => message)
}

describe("an artifact with a byte that the storage changed", () => {
  for (const range of ["", "Range: bytes=0-\r\n"]) {
    const asked = range === "" ? "whole" : "by a range of all its bytes"
    it(`breaks off before its end if it is asked for ${asked}, and audit artifacts finds it`, async (t) => {
      const { id, folder, errors, download } = await serveChanged(t, LARGE_BYTES)
      const { head, body } = await download(range)
      assert.match(head, range === "" ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 206 /)
      assert.match(head, new RegExp(`\r\nContent-Length: ${LARGE_BYTES}\r\n`, "i"))
      assert.ok(body.length < LARGE_BYTES, `${body.length}`)
      // The client sees the end before the transfer is told of.
      await until(() => linesOf(id, errors).includes("transfer failed"))
      assert.deepEqual(linesOf(id, errors), ["artifact differs", "transfer failed"])
      const { code, stdout } = await runCommand(["audit", "artifacts"], { folder })
      assert.equal(code, 1)
      assert.match(stdout, new RegExp(`^image_1 of task ${id} is not what the log says$`, "m"))
    })
  }

  it("is a 503 before a byte was sent if it is small", async (t) => {
    const { id, errors, download } = await serveChanged(t, SMALL_BYTES)
    const { head, body } = await download()
    assert.match(head, /^HTTP\/1\.1 503 /)
    const { error } = JSON.parse(body) as { error: { code: string } }
    assert.equal(error.code, "storage_unavailable")
    assert.equal(linesOf(id, errors)[0], "artifact differs")
  })

  it("is sent as it is for a range, which has no hash to be compared with", async (t) => {
    const { id, errors, download } = await serveChanged(t, LARGE_BYTES)
    const { head, body } = await download("Range: bytes=1-\r\n")
    assert.match(head, /^HTTP\/1\.1 206 /)
    assert.equal(body.length, LARGE_BYTES - 1)
    assert.deepEqual(linesOf(id, errors), [])
  })

  it("is sent as it is, whole, where verifyReads is false", async (t) => {
    const { id, errors, download } = await serveChanged(t, LARGE_BYTES, false)
    const { head, body } = await download()
    assert.match(head, /^HTTP\/1\.1 200 /)
    assert.deepEqual([body.length, body.indexOf("q")], [LARGE_BYTES, LARGE_BYTES >> 1])
    assert.deepEqual(linesOf(id, errors), [])
  })
})

describe("verifyReads in the configuration file", () => {
  it("is kept as it stands there, and refused if it is neither true nor false", async (t) => {
    const folder = await temporaryFolder(t)
    const write = async (text: string): Promise<void> => {
      const file = await open(join(folder, "safelight.config.json"), "w")
      await file.write(text)
      await file.close()
    }
    const load = () => loadConfiguration({ flags: {}, environment: {}, folder })
    await write('{ "verifyReads": false }')
    assert.equal((await load()).verifyReads, false)
    await write('{ "verifyReads": "no" }')
    await assert.rejects(load(), /verifyReads.*expected true or false/)
  })
})
