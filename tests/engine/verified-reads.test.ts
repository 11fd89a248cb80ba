/** What whoever reads an artifact gets of bytes that the storage changed: not the whole, and an error. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError, type ArtifactReader } from "@safelight/core"
import { createMemoryArtifacts, createScriptedChannel } from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { completed, createScene } from "./support.ts"

const SMALL = "a quiet harbour"
/** More than is read ahead, and more than one chunk. */
const LARGE = "p".repeat(600_000)

async function make(words: string, options: { readonly verifyReads?: boolean } = {}) {
  const stored = createMemoryArtifacts()
  /** What is read of what was stored. */
  const storage = {
    toRead: (bytes: Uint8Array): Uint8Array => bytes,
    openReaders: 0,
    version: undefined as string | undefined,
  }
  async function open({
    locator,
    start = 0,
    end,
  }: {
    locator: string
    start?: number
    end?: number
  }) {
    const bytes = storage.toRead(stored.locators.get(locator) ?? new Uint8Array())
    const left = bytes.subarray(start, end === undefined ? undefined : end + 1)
    storage.openReaders += 1
    const { version } = storage
    const reader = {
      ...createReader(left, bytes.length),
      ...(version !== undefined && { version }),
    }
    return countClose(reader, () => (storage.openReaders -= 1))
  }
  const channel = createScriptedChannel()
  channel.willSubmit(completed(words))
  const { entries, log } = createLogRecorder()
  const scene = createScene({
    channels: [channel],
    artifacts: { ...stored, open },
    log,
    ...options,
  })
  const { id } = await scene.submit()
  await scene.engine.finished(id)
  const [artifact] = (await scene.engine.findLinked(id))?.artifacts ?? []
  assert.ok(artifact)
  return { id, artifact, clock: scene.clock, engine: scene.engine, entries, storage }
}

function createReader(bytes: Uint8Array, totalBytes: number): Omit<ArtifactReader, "close"> {
  let position = 0
  return {
    totalBytes,
    async read(into) {
      // Fewer than there is room for, as from a network.
      const piece = bytes.subarray(position, position + Math.min(into.length, 100_000))
      into.set(piece)
      position += piece.length
      return piece.length
    },
  }
}

function countClose(reader: Omit<ArtifactReader, "close">, onClose: () => void): ArtifactReader {
  return { ...reader, close: async () => onClose() }
}

type Made = Awaited<ReturnType<typeof make>>

/** All that came before the end or an error, and which. */
async function readAll({ engine, id }: Made) {
  let text = ""
  try {
    for await (const chunk of engine.readArtifact({ task: id, key: "image_1" })) {
      text += Buffer.from(chunk).toString("latin1")
    }
    return { text, code: undefined }
  } catch (error) {
    if (!(error instanceof SafelightError)) throw error
    return { text, code: error.code }
  }
}

const CHANGES = [
  ["a changed byte at the start", (bytes: Uint8Array) => flip(bytes, 0)],
  ["a changed byte at the end", (bytes: Uint8Array) => flip(bytes, bytes.length - 1)],
  ["a byte less", (bytes: Uint8Array) => bytes.subarray(1)],
  ["a byte more", (bytes: Uint8Array) => Buffer.concat([bytes, Buffer.from("x")])],
] as const

function flip(bytes: Uint8Array, index: number): Uint8Array {
  return bytes.map((byte, each) => (each === index ? byte ^ 1 : byte))
}

for (const [size, words] of [
  ["small", SMALL],
  ["large", LARGE],
] as const) {
  describe(`a ${size} artifact`, () => {
    it("is read whole, in order, and its reader is closed", async () => {
      const made = await make(words)
      assert.deepEqual(await readAll(made), { text: words, code: undefined })
      assert.deepEqual([made.entries, made.storage.openReaders], [[], 0])
    })

    for (const [what, change] of CHANGES) {
      it(`is never given whole with ${what}, and the log names it`, async () => {
        const made = await make(words)
        made.storage.toRead = change
        const { text, code } = await readAll(made)
        assert.equal(code, "artifacts-unavailable")
        assert.ok(text.length < words.length, `${text.length}`)
        const fields = { task: made.id, artifact: "image_1" }
        assert.deepEqual(made.entries, [{ level: "error", fields, message: "artifact differs" }])
        assert.equal(made.storage.openReaders, 0)
      })
    }

    it("is judged by a range too that names all of it, and by no other", async () => {
      const made = await make(words)
      made.storage.toRead = (bytes) => flip(bytes, 0)
      const { artifact, engine } = made
      const end = words.length - 1
      const read = async (range: { readonly start: number; readonly end: number }) => {
        const reader = await engine.openArtifact({ artifact, ...range })
        const into = new Uint8Array(words.length)
        let filled = 0
        for (let count = -1; count !== 0; filled += count) {
          count = await reader.read(into.subarray(filled))
        }
        return filled
      }
      await assert.rejects(read({ start: 0, end }), { code: "artifacts-unavailable" })
      assert.equal(await read({ start: 0, end: end - 1 }), end)
      assert.equal(await read({ start: 1, end }), end)
    })

    it("that was right lately is not hashed again, unless it was written since, or for ten minutes", async () => {
      const made = await make(words)
      const { clock, entries, storage } = made
      const lines = (): number => entries.length
      storage.version = "as it was made"
      assert.equal((await readAll(made)).text, words)
      storage.toRead = (bytes) => flip(bytes, 0)
      assert.equal((await readAll(made)).text.length, words.length)
      assert.equal(lines(), 0)
      storage.version = "written again"
      assert.equal((await readAll(made)).code, "artifacts-unavailable")
      storage.version = "as it was made"
      await clock.advance(600_000)
      assert.equal((await readAll(made)).code, "artifacts-unavailable")
      assert.equal(lines(), 2)
    })

    it("is hashed each time where the storage can't tell what was written again", async () => {
      const made = await make(words)
      assert.equal((await readAll(made)).text, words)
      made.storage.toRead = (bytes) => flip(bytes, 0)
      assert.equal((await readAll(made)).code, "artifacts-unavailable")
    })

    it("is given as it is where reads are not verified", async () => {
      const made = await make(words, { verifyReads: false })
      made.storage.toRead = (bytes) => flip(bytes, 0)
      const { text, code } = await readAll(made)
      assert.deepEqual(
        [text.length, text.slice(1), code],
        [words.length, words.slice(1), undefined],
      )
      assert.deepEqual(made.entries, [])
    })
  })
}

it("refuses a small artifact that changed as it is opened, before anything was told of it", async () => {
  const { artifact, engine, storage } = await make(SMALL)
  storage.toRead = (bytes) => flip(bytes, 0)
  await assert.rejects(engine.openArtifact({ artifact }), { code: "artifacts-unavailable" })
  assert.equal(storage.openReaders, 0)
})
