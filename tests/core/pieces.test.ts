/** Bodies in pieces of one size, and the line in which a storage keeps its mark. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { MOST_MARK_BYTES, parseMarkLine, toPieces } from "@safelight/core"

/** One buffer for all chunks, as a body that uses it again. */
async function* reuse(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(Math.max(0, ...sizes))
  for (const [index, size] of sizes.entries()) yield buffer.fill(index + 1).subarray(0, size)
}

async function collect(sizes: readonly number[], pieceBytes: number): Promise<number[][]> {
  const pieces: Uint8Array[] = []
  for await (const piece of toPieces(reuse(sizes), () => new Uint8Array(pieceBytes)))
    pieces.push(piece)
  return pieces.map((piece) => [...piece])
}

describe("a body in pieces", () => {
  it("has pieces of one size but the last, whatever its chunks are", async () => {
    assert.deepEqual(await collect([1, 0, 2, 6], 4), [[1, 3, 3, 4], [4, 4, 4, 4], [4]])
    assert.deepEqual(await collect([4, 4], 4), [
      [1, 1, 1, 1],
      [2, 2, 2, 2],
    ])
    assert.deepEqual(await collect([0], 4), [])
  })

  it("asks for memory once the piece before was taken, and only if there are bytes for it", async () => {
    const buffers = [new Uint8Array(2), new Uint8Array(2)]
    let asked = 0
    const allocate = () => buffers[asked++ % 2] ?? assert.fail()
    const seen: number[][] = []
    for await (const piece of toPieces(reuse([3, 3, 2]), allocate)) {
      seen.push([...piece, asked])
    }
    assert.deepEqual(seen, [
      [1, 1, 1],
      [1, 2, 2],
      [2, 2, 3],
      [3, 3, 4],
    ])
  })

  it("refuses chunks that are no bytes", async () => {
    const body = (async function* (): AsyncGenerator<Uint8Array> {
      yield "text" as unknown as Uint8Array
    })()
    await assert.rejects(toPieces(body, () => new Uint8Array(4)).next(), TypeError)
  })
})

describe("the line of a mark", () => {
  it("is 1 to 100 visible characters and a line break", () => {
    const longest = "~".repeat(100)
    assert.equal(parseMarkLine(`${longest}\n`), longest)
    assert.equal(`${longest}\n`.length, MOST_MARK_BYTES)
    for (const line of ["", "\n", "mark", "a b\n", "a\n\n", `${longest}~\n`, "é\n"]) {
      assert.equal(parseMarkLine(line), undefined, line)
    }
  })
})
