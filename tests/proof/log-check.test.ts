/** A file's streams against a signed checkpoint: all of them, or a selection with its proofs. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createLeafGatherer,
  createLogCheck,
  proveInclusion,
  createTreeSource,
  openCheckpoint,
  type LeafedStream,
} from "@safelight/proof"
import { verifyEd25519 } from "@safelight/proof/node"
import * as fc from "fast-check"
import { check, checkAsync } from "../core/support/property.ts"
import { buildTree, sampleLeaf, sampleLeaves, tree } from "./sample-tree.ts"
import { createSignedTasks, demand, ORIGIN } from "./signed-tasks.ts"

const TASKS = ["a", "b", "c", "d", "e", "f", "g"]

interface WholeStream extends LeafedStream {
  readonly leaves: readonly number[]
  readonly proofs: readonly (readonly string[])[]
}

async function createStreams() {
  const { add, sign, signer, storage } = await createSignedTasks()
  await add(...TASKS)
  const { note, size } = await sign()
  const options = { origin: ORIGIN, logKeys: [signer.key], verify: verifyEd25519 }
  const { checkpoint } = demand(await openCheckpoint(note, options))
  const source = createTreeSource(storage, { size, tree })
  const streams = await Promise.all(
    TASKS.map(async (task): Promise<WholeStream> => {
      const leaves = (await storage.readLeaves(task)).map(({ index }) => index)
      const proofs = await Promise.all(leaves.map((index) => proveInclusion(source, index)))
      const toText = (hash: Uint8Array) => Buffer.from(hash).toString("base64")
      const events = await storage.readEvents(task)
      return { task, events, leaves, proofs: proofs.map((proof) => proof.map(toText)) }
    }),
  )
  function judge(given: readonly LeafedStream[], isSelection = false): boolean {
    const log = createLogCheck({ tree, checkpoint, isSelection })
    return given.every((stream) => log.add(stream) === undefined) && log.finish() === undefined
  }
  return { judge, streams }
}

type Streams = Awaited<ReturnType<typeof createStreams>>["streams"]

/** Of a whole log. Each changes something. */
const ALTERATIONS: Readonly<Record<string, (streams: Streams, at: number) => LeafedStream[]>> = {
  "a task less": (streams, at) => streams.toSpliced(at, 1),
  "a task twice": (streams, at) => streams.toSpliced(at, 0, ...streams.slice(at, at + 1)),
  "no last event": change(({ events, leaves }) => ({
    events: events.slice(0, -1),
    leaves: leaves.slice(0, -1),
  })),
  "an event without a leaf": change(({ leaves }) => ({ leaves: leaves.slice(0, -1) })),
  "no leaves": change(() => ({ leaves: [] })),
  "another hash": change(({ events }) => ({
    events: events.map((event) => ({ ...event, hash: "ab".repeat(32) })),
  })),
  "another task's name": change(({ task }) => ({ task: `${task}x` })),
  "the next leaves": change(({ leaves }) => ({ leaves: leaves.map((index) => index + 1) })),
  "leaves outside": change(({ leaves }) => ({ leaves: leaves.map((index) => index + 21) })),
  "leaves before the first": change(({ leaves }) => ({
    leaves: leaves.map((index) => -index - 1),
  })),
  "leaves in another order": change(({ leaves }) => ({ leaves: leaves.toReversed() })),
  "leaves that are no numbers": change(({ leaves }) => ({ leaves: leaves.map(() => 0.5) })),
}

function change(to: (stream: Streams[number]) => Partial<LeafedStream>) {
  return (streams: Streams, at: number): LeafedStream[] =>
    streams.map((stream, place) => (place === at ? { ...stream, ...to(stream) } : stream))
}

describe("the streams of a file", () => {
  it("are those of the checkpoint, in whatever order they stand", async () => {
    const { judge, streams } = await createStreams()
    assert.ok(judge(streams))
    assert.ok(judge(streams.toReversed()))
    assert.ok(judge(streams.slice(2, 4), true))
    assert.ok(judge([], true))
    assert.ok(!judge(streams.slice(2, 4)))
  })

  it("are refused whatever of them is altered", async (t) => {
    const { judge, streams } = await createStreams()
    const drawn = fc.tuple(fc.constantFrom(...Object.keys(ALTERATIONS)), fc.nat(6))
    await checkAsync(
      t,
      fc.asyncProperty(drawn, async ([name, at]) => {
        assert.ok(!judge(ALTERATIONS[name]?.(streams, at) ?? []), name)
      }),
    )
  })

  it("need their proofs in a selection", async () => {
    const { judge, streams } = await createStreams()
    const [first, second] = streams
    assert.ok(first !== undefined && second !== undefined)
    assert.ok(!judge([{ ...first, proofs: [] }], true))
    assert.ok(!judge([{ ...first, proofs: second.proofs }], true))
    assert.ok(!judge([{ ...first, leaves: second.leaves, proofs: second.proofs }], true))
    assert.ok(!judge([{ ...first, leaves: [] }], true))
  })
})

describe("leaves that come in any order", () => {
  it("make the root of their tree, and only all of them do", (t) => {
    const sized = fc.integer({ min: 0, max: 70 }).chain((size) =>
      fc.record({
        order: fc.shuffledSubarray(
          Array.from({ length: size }, (_, index) => index),
          {
            minLength: size,
          },
        ),
        missing: fc.nat(Math.max(0, size - 1)),
      }),
    )
    check(
      t,
      fc.property(sized, ({ missing, order }) => {
        const { root } = buildTree(sampleLeaves(order.length))
        const gatherer = createLeafGatherer(tree)
        for (const [place, index] of order.entries()) {
          if (place === order.length - 1) assert.equal(gatherer.root(order.length), undefined)
          assert.ok(gatherer.add(index, sampleLeaf(index)))
          assert.ok(!gatherer.add(index, sampleLeaf(index)))
        }
        assert.deepEqual(Buffer.from(gatherer.root(order.length) ?? []), Buffer.from(root))
        assert.equal(gatherer.root(order.length + 1), undefined)
        if (order.length === 0) return
        const lacking = createLeafGatherer(tree)
        for (const index of order) if (index !== missing) lacking.add(index, sampleLeaf(index))
        assert.equal(lacking.root(order.length), undefined)
      }),
    )
  })
})
