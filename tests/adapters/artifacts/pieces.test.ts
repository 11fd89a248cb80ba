/** How a body reaches a driver: in pieces of one size, in memory that is used again, and not after a failure. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createArtifactStorage, type ArtifactDriver, type ObjectWriter } from "@safelight/artifacts"

const PIECE_BYTES = 100_000

/** A storage that keeps nothing: `writer` says what it does with pieces. */
function createStorage(writer: Partial<ObjectWriter>, driver: Partial<ArtifactDriver> = {}) {
  return createArtifactStorage({
    name: "The storage",
    pieceBytes: PIECE_BYTES,
    begin: async () => ({
      write: async () => {},
      commit: async () => {},
      abandon: async () => {},
      ...writer,
    }),
    open: () => assert.fail("nothing is read"),
    remove: async () => {},
    async *list() {},
    storeIfAbsent: async () => {},
    ...driver,
  })
}

/** One buffer for all chunks, as a body that uses it again. */
async function* reuse(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(Math.max(0, ...sizes))
  for (const [index, size] of sizes.entries()) yield buffer.fill(index + 1).subarray(0, size)
}

describe("a body that is put", () => {
  for (const [sizes, whole, last] of [
    [[], 0, 0],
    [[0], 0, 0],
    [[1, 0, 2], 0, 3],
    [[PIECE_BYTES], 0, PIECE_BYTES],
    [[PIECE_BYTES, 0], 0, PIECE_BYTES],
    [[PIECE_BYTES, 1], 1, 1],
    [[3 * PIECE_BYTES], 2, PIECE_BYTES],
    [[1, 3 * PIECE_BYTES], 3, 1],
  ] as const) {
    it(`of ${sizes.join(" and ")} bytes is ${whole} pieces and a last one of ${last}`, async () => {
      const pieces: Uint8Array[] = []
      const take = async (piece: Uint8Array, index: number): Promise<void> => {
        assert.equal(index, pieces.length)
        pieces.push(piece.slice())
      }
      const artifacts = createStorage({ write: take, commit: take })
      const { bytes } = await artifacts.put({ task: "t", key: "k", body: reuse(sizes) })
      const lengths = pieces.map(({ byteLength }) => byteLength)
      assert.deepEqual(lengths, [...Array<number>(whole).fill(PIECE_BYTES), last])
      const expected = sizes.flatMap((size, index) => Array<number>(size).fill(index + 1))
      assert.ok(Buffer.concat(pieces).equals(Uint8Array.from(expected)))
      assert.equal(bytes, expected.length)
    })
  }

  it("is held in two pieces at most, whose memory is used again", async () => {
    const memories = new Set<ArrayBufferLike>()
    let atOnce = 0
    let mostAtOnce = 0
    const write = async ({ buffer }: Uint8Array): Promise<void> => {
      memories.add(buffer)
      atOnce += 1
      mostAtOnce = Math.max(mostAtOnce, atOnce)
      await Promise.resolve()
      atOnce -= 1
    }
    const artifacts = createStorage({ write })
    const body = reuse(Array<number>(40).fill(PIECE_BYTES))
    await artifacts.put({ task: "t", key: "k", body })
    assert.ok(mostAtOnce <= 2)
    assert.ok(memories.size <= 3, `${memories.size} pieces of memory`)
  })

  it("is refused if its chunks are no bytes", async () => {
    const body = (async function* (): AsyncGenerator<Uint8Array> {
      yield "text" as unknown as Uint8Array
    })()
    await assert.rejects(createStorage({}).put({ task: "t", key: "k", body }), TypeError)
  })
})

describe("a put that fails", () => {
  it("abandons what it began, and removes the object only if it was committed", async () => {
    const done: string[] = []
    const driver = { remove: async () => void done.push("remove") }
    const abandon = async () => void done.push("abandon")
    const failure = new Error("broken")
    const fail = () => Promise.reject(failure)
    const body = () => reuse([PIECE_BYTES, 1])
    for (const [writer, expected] of [
      [{ write: fail }, ["abandon"]],
      [{ commit: fail }, ["abandon", "remove"]],
    ] as const) {
      done.length = 0
      const artifacts = createStorage({ abandon, ...writer }, driver)
      await assert.rejects(artifacts.put({ task: "t", key: "k", body: body() }), failure)
      assert.deepEqual(done, expected)
    }
  })

  it("has the words and the cause of the driver's failure, and of no bug", async () => {
    const failure = new Error("broken")
    const writer = { commit: () => Promise.reject(failure) }
    const describeFailure = (error: unknown) => (error === failure ? "it is full" : undefined)
    const put = createStorage(writer, { describeFailure }).put({
      task: "t",
      key: "k",
      body: reuse([]),
    })
    await assert.rejects(put, {
      code: "artifacts-unavailable",
      message: "The storage failed: it is full",
      retryable: true,
      cause: failure,
    })
  })

  it("is unavailable if the storage says that it holds fewer bytes", async () => {
    const removed: string[] = []
    const artifacts = createStorage(
      {},
      { measure: async () => 9, remove: async (key) => void removed.push(key) },
    )
    const put = artifacts.put({ task: "t", key: "k", body: reuse([10]) })
    await assert.rejects(put, /does not hold the 10 bytes that it took/)
    assert.equal(removed.length, 1)
  })
})
