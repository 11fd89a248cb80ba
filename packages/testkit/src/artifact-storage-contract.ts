/**
 * The contract of `ArtifactStorage`: what every adapter passes, each behaviour on a storage of its
 * own. The contract leaves the choices that the port leaves: a reader whose artifact is removed may read to
 * the end or fail, but it never ends early as if that were all.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import {
  isSafelightError,
  type ArtifactPut,
  type ArtifactStorage,
  type SafelightErrorCode,
  type StoredArtifact,
} from "@safelight/core"
import { ARTIFACT_MARK_BEHAVIOURS } from "./artifact-mark-behaviours.ts"
import { chop, drain, readAll } from "./artifact-samples.ts"
import { describeContract, type Behaviours, type Divergence } from "./contract.ts"

export interface ArtifactStorageFixture {
  /** Empty at first. */
  readonly artifacts: ArtifactStorage
  cleanUp(): Promise<void>
}

export interface ArtifactStorageContractOptions {
  /** Behaviours that this adapter is known to lack, by the name of their test. */
  readonly divergences?: readonly Divergence[]
}

/** Declares one suite; `create` hands out an empty storage for every behaviour. */
export function describeArtifactStorage(
  name: string,
  create: () => Promise<ArtifactStorageFixture>,
  options: ArtifactStorageContractOptions = {},
): void {
  describeContract({
    title: `${name} is an artifact storage`,
    behaviours: { ...BEHAVIOURS, ...ARTIFACT_MARK_BEHAVIOURS },
    create,
    ...options,
  })
}

const KIB = 1024

const BEHAVIOURS: Behaviours<ArtifactStorageFixture> = {
  "bytes come back, measured and hashed, however a body chops them": async ({ artifacts }) => {
    const sizes = [0, 1, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 3 * KIB * KIB + 17]
    const chunkings = [[Infinity], [1, 7, 4096, 65_535, 100_003], [0, 64 * KIB], [1000]]
    for (const size of sizes) {
      const bytes = makeBytes(size)
      for (const chunking of chunkings) {
        const body = chop(bytes, chunking)
        // A signal that stays silent changes nothing.
        const { signal } = new AbortController()
        const stored = await artifacts.put({ task: "t", key: "k", body, signal })
        assert.deepEqual(stored, { locator: stored.locator, bytes: size, sha256: toSha256(bytes) })
        assertSameBytes(await readAll(artifacts, { locator: stored.locator }), bytes)
      }
    }
  },

  "a body is asked for one chunk at a time": async ({ artifacts }) => {
    let pending = 0
    let left = 40
    async function next(): Promise<IteratorResult<Uint8Array>> {
      pending += 1
      assert.equal(pending, 1)
      await nextTurn()
      pending -= 1
      left -= 1
      return left < 0 ? { done: true, value: undefined } : { value: makeBytes(10 * KIB) }
    }
    const body = { [Symbol.asyncIterator]: () => ({ next }) }
    assert.equal((await artifacts.put({ task: "t", key: "k", body })).bytes, 400 * KIB)
  },

  "a range is served to the byte, and the total is always the whole": async ({ artifacts }) => {
    const bytes = makeBytes(200 * KIB + 3)
    const { locator } = await store(artifacts, { bytes })
    const last = bytes.length - 1
    const ranges = [
      ...[0, 1, 65_535, 65_536, last].map((start) => ({ start, end: start })),
      ...[0, 65_535].map((start) => ({ start, end: last - start })),
      ...[100_000, last].map((start) => ({ start })),
      { end: 99 },
      {},
    ]
    for (const range of ranges) {
      const { start, end } = { start: 0, end: last, ...range }
      const reader = await artifacts.open({ locator, ...range })
      assert.equal(reader.totalBytes, bytes.length)
      await reader.close()
      const read = await readAll(artifacts, { locator, ...range })
      assertSameBytes(read, bytes.subarray(start, end + 1), `${start}-${end}`)
    }
  },

  "past the last byte a range ends, or is empty": async ({ artifacts }) => {
    const bytes = makeBytes(100)
    const { locator } = await store(artifacts, { bytes })
    assertSameBytes(await readAll(artifacts, { locator, start: 90, end: 5000 }), bytes.subarray(90))
    for (const start of [100, 5000]) {
      assert.equal((await readAll(artifacts, { locator, start, end: 6000 })).length, 0)
    }
    const empty = await store(artifacts, { bytes: makeBytes(0) })
    assert.equal((await readAll(artifacts, { locator: empty.locator, start: 0, end: 9 })).length, 0)
  },

  "a range is read into buffers of any size, and not a byte past it": async ({ artifacts }) => {
    const bytes = makeBytes(5000)
    const { locator } = await store(artifacts, { bytes })
    for (const bufferBytes of [1, 3, 4096, KIB * KIB]) {
      const read = await readAll(artifacts, { locator, start: 10, end: 4500 }, bufferBytes)
      assertSameBytes(read, bytes.subarray(10, 4501))
    }
    const reader = await artifacts.open({ locator, start: 10, end: 19 })
    const into = new Uint8Array(64).fill(255)
    let filled = 0
    for (let count = -1; count !== 0; filled += count) {
      count = await reader.read(into.subarray(filled))
    }
    assert.equal(filled, 10)
    assertSameBytes(into.subarray(10), new Uint8Array(54).fill(255))
    assert.equal(await reader.read(into), 0)
    await reader.close()
  },

  "a body that fails rejects with its own error and leaves nothing": async ({ artifacts }) => {
    for (const size of [0, 10, 500 * KIB]) {
      // As a body that reads a file itself would fail.
      const failure = Object.assign(new Error("gone"), { code: "ENOENT", syscall: "read" })
      const put = artifacts.put({ task: "t", key: "k", body: failAfter(makeBytes(size), failure) })
      await assert.rejects(put, (error) => error === failure)
    }
    await assertListed(artifacts, [])
  },

  "an aborted put rejects even while its body hangs, and leaves nothing": async ({ artifacts }) => {
    const signal = AbortSignal.abort()
    const unread = hang(() => assert.fail("the body was asked"))
    await rejectsWith(artifacts.put({ task: "t", key: "k", body: unread, signal }), "aborted")

    const controller = new AbortController()
    const body = hang(() => controller.abort())
    const put = artifacts.put({ task: "t", key: "k", body, signal: controller.signal })
    await rejectsWith(put, "aborted")
    await assertListed(artifacts, [])
  },

  "a removed artifact is missing, and removing it again does nothing": async ({ artifacts }) => {
    const { locator } = await store(artifacts, {})
    const other = await store(artifacts, {})
    await artifacts.remove(locator)
    await rejectsWith(artifacts.open({ locator }), "artifact-missing")
    await artifacts.remove(locator)
    await assertListed(artifacts, [other])
    await artifacts.remove(other.locator)
    await assertListed(artifacts, [])
  },

  "a list shows what was put for its task and nothing of another": async ({ artifacts }) => {
    await assertListed(artifacts, [])
    const mine = [await store(artifacts, { key: "a" }), await store(artifacts, { key: "b" })]
    for (const task of ["t2", "T", "t/a"]) await store(artifacts, { task })
    await assertListed(artifacts, mine)
  },

  "any text is a task or a key, and no two share their artifacts": async ({ artifacts }) => {
    const stored = new Map<string, StoredArtifact>()
    for (const name of HOSTILE_NAMES) {
      const bytes = new TextEncoder().encode(`of ${name}`)
      stored.set(name, await store(artifacts, { task: name, key: name, bytes }))
    }
    for (const [name, { locator, sha256 }] of stored) {
      assert.equal(toSha256(await readAll(artifacts, { locator })), sha256)
      assert.deepEqual(await artifacts.list(name), [locator], JSON.stringify(name))
    }
  },

  "a locator that no put returned is missing, and removing it harms nothing": async ({
    artifacts,
  }) => {
    const stored = await store(artifacts, {})
    const { locator } = stored
    const above = locator.slice(0, locator.lastIndexOf("/"))
    const forms = ["x", "/", "\0"].map((end) => locator + end)
    forms.push(above, `/${locator}`, `../${locator}`, `${above}/../${locator}`)
    const unknown = locator.slice(0, -1) + (locator.endsWith("0") ? "1" : "0")
    for (const wrong of [...HOSTILE_NAMES, ...forms, unknown]) {
      await rejectsWith(artifacts.open({ locator: wrong }), "artifact-missing")
      await artifacts.remove(wrong)
    }
    await assertListed(artifacts, [stored])
  },

  "fifty puts at once are fifty artifacts, side by side under one key": async ({ artifacts }) => {
    const puts = Array.from({ length: 50 }, (_, index) =>
      store(artifacts, { key: `k${index % 3}`, bytes: makeBytes(index * 999) }),
    )
    const stored = await Promise.all(puts)
    for (const [index, { locator }] of stored.entries()) {
      assertSameBytes(await readAll(artifacts, { locator }), makeBytes(index * 999))
    }
    await assertListed(artifacts, stored)
  },

  "puts and removes of one task don't disturb each other": async ({ artifacts }) => {
    const rounds = Array.from({ length: 8 }, async (_, lane) => {
      for (let round = 0; round < 12; round += 1) {
        const { locator } = await store(artifacts, { key: `k${lane % 2}`, bytes: makeBytes(lane) })
        assert.equal((await readAll(artifacts, { locator })).length, lane)
        await artifacts.remove(locator)
      }
    })
    await Promise.all(rounds)
    await assertListed(artifacts, [])
  },

  "a reader of an artifact that is removed reads on or fails, never short": async ({
    artifacts,
  }) => {
    const bytes = makeBytes(300 * KIB)
    const { locator } = await store(artifacts, { bytes })
    const reader = await artifacts.open({ locator })
    const count = await reader.read(new Uint8Array(1000))
    await artifacts.remove(locator)
    try {
      assertSameBytes(await drain(reader, 7000), bytes.subarray(count))
    } catch (error) {
      assert.ok(isSafelightError(error), String(error))
      assert.match(error.code, /^artifact-missing$|^artifacts-unavailable$/)
    }
    await reader.close()
  },

  "a reader is closed twice, also before its end": async ({ artifacts }) => {
    const { locator } = await store(artifacts, { bytes: makeBytes(300 * KIB) })
    const reader = await artifacts.open({ locator })
    await reader.read(new Uint8Array(10))
    await Promise.all([reader.close(), reader.close()])
    await reader.close()
  },

  "a storage that works passes its check": async ({ artifacts }) => {
    await artifacts.check()
    await assertListed(artifacts, [])
  },
}

/** Paths, escapes, names that file systems and URLs treat specially, and pairs easily confused. */
const HOSTILE_NAMES: readonly string[] = [
  ..."|.|..|../..|/|/etc/passwd|a/b|a\\b|..\\..|.incoming|a\0b|a\n|?|#|a?b=c|~|-rf".split("|"),
  ..."%|%2e%2e|%2F|%h|%002e|con|case|Case|CASE|\u00e9|e\u0301|\ufffd|\u{1f600}".split("|"),
  ...["\0", " ", "*", "\ud800", "\udc00"].concat("a".repeat(200), "a".repeat(199)),
  ...["A", "B", "\u{1f600}"].map((last) => "A".repeat(198) + last),
]

type StoreRequest = Partial<Pick<ArtifactPut, "task" | "key">> & { readonly bytes?: Uint8Array }

function store(artifacts: ArtifactStorage, request: StoreRequest): Promise<StoredArtifact> {
  const { task = "t", key = "k", bytes = makeBytes(10) } = request
  return artifacts.put({ task, key, body: chop(bytes, [64 * KIB]) })
}

/** Exactly these are the artifacts of `t`. */
async function assertListed(artifacts: ArtifactStorage, stored: StoredArtifact[]): Promise<void> {
  const locators = stored.map(({ locator }) => locator)
  assert.deepEqual((await artifacts.list("t")).toSorted(), locators.toSorted())
}

/** No two neighbouring blocks alike, so that a shifted or repeated block shows. */
function makeBytes(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, index) => (index * 31 + (index >> 8) * 17) % 251)
}

/** Without the diff of `deepEqual`, which takes minutes for bytes by the hundred thousand. */
function assertSameBytes(actual: Uint8Array, expected: Uint8Array, what = "whole"): void {
  assert.equal(actual.length, expected.length, what)
  assert.ok(Buffer.from(actual).equals(expected), `other bytes: ${what}`)
}

function toSha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex")
}

async function* failAfter(bytes: Uint8Array, failure: Error): AsyncGenerator<Uint8Array> {
  yield* chop(bytes, [100 * KIB])
  throw failure
}

/** One chunk, then silence for ever; `onHang` is called when it begins. */
function hang(onHang: () => void): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      yield makeBytes(100 * KIB)
      onHang()
      await new Promise<never>(() => {})
    },
  }
}

async function rejectsWith(work: Promise<unknown>, code: SafelightErrorCode): Promise<void> {
  await assert.rejects(work, (error) => isSafelightError(error) && error.code === code)
}
