/** Proofs from tiles are those of the RFC's definitions, they verify, and nothing that was altered does. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createTreeBuilder,
  proveConsistency,
  proveInclusion,
  verifyConsistency,
  verifyInclusion,
  type ConsistencyClaim,
  type InclusionClaim,
  type TreeHash,
} from "@safelight/proof"
import * as fc from "fast-check"
import { consistencyPath, inclusionPath, treeHash } from "../support/reference-tree.ts"
import { buildTree, sampleLeaves, toHexes, tree, type SampleTree } from "./sample-tree.ts"

const MOST = 600
const leaves = sampleLeaves(66_000)

const trees = new Map<number, SampleTree>()
function treeOf(size: number): SampleTree {
  const built = trees.get(size) ?? buildTree(leaves.slice(0, size))
  trees.set(size, built)
  return built
}

/** Sizes up to 600, and those at which a level of tiles begins or fills. */
const size = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: MOST }) },
  { weight: 1, arbitrary: fc.constantFrom(65_535, 65_536, 65_537, 65_792, 65_793) },
)
const sized = size.chain((count) =>
  fc.record({ size: fc.constant(count), index: fc.nat(count - 1) }),
)
const pair = size.chain((second) =>
  fc.record({ second: fc.constant(second), first: fc.integer({ min: 1, max: second }) }),
)

async function claimInclusion(index: number, count: number): Promise<InclusionClaim> {
  const { root, source } = treeOf(count)
  const leafHash = leaves[index] ?? new Uint8Array()
  return { leafHash, index, size: count, root, proof: await proveInclusion(source, index) }
}

async function claimConsistency(first: number, second: number): Promise<ConsistencyClaim> {
  const { root, source } = treeOf(second)
  return {
    firstSize: first,
    firstRoot: treeOf(first).root,
    secondSize: second,
    secondRoot: root,
    proof: await proveConsistency(source, first),
  }
}

describe("the root of a tree", () => {
  it("is MTH of its leaves, for every size to 600", () => {
    const builder = createTreeBuilder({ tree })
    for (const [index, leaf] of leaves.slice(0, MOST).entries()) {
      assert.deepEqual(Buffer.from(builder.root()), treeHash(leaves.slice(0, index)), `${index}`)
      builder.append(leaf)
    }
  })

  it("is MTH of its leaves around 256²", () => {
    for (const count of [65_535, 65_536, 65_537, 65_792, 65_793]) {
      assert.deepEqual(Buffer.from(treeOf(count).root), treeHash(leaves.slice(0, count)))
    }
  })
})

describe("an inclusion proof", () => {
  it("is the same where many share the hashes within tiles, and then takes few of them", async () => {
    for (const count of [1, 255, 256, 600, 65_793]) {
      const { source } = treeOf(count)
      let hashed = 0
      const counting: TreeHash = {
        ...tree,
        hashNode(left, right) {
          hashed += 1
          return tree.hashNode(left, right)
        },
      }
      const sharing = { ...source, tree: counting, spans: new Map<string, Uint8Array>() }
      const step = Math.ceil(count / 600)
      let proofs = 0
      for (let index = 0; index < count; index += step) {
        const [shared, alone] = [sharing, source].map((each) => proveInclusion(each, index))
        assert.deepEqual(toHexes((await shared) ?? []), toHexes((await alone) ?? []))
        proofs += 1
      }
      const tiles = Math.ceil(count / 256) + 2
      assert.ok(hashed <= tiles * 255 + proofs * 32, `${hashed} hashes of ${proofs} proofs`)
      assert.ok(sharing.spans.size <= tiles * 62, `${sharing.spans.size} are kept`)
    }
  })

  it("is PATH, and verifies, for every leaf of every tree to 40", async () => {
    for (let count = 1; count <= 40; count += 1) {
      for (let index = 0; index < count; index += 1) {
        const claim = await claimInclusion(index, count)
        const expected = inclusionPath(index, leaves.slice(0, count))
        assert.deepEqual(toHexes(claim.proof), toHexes(expected))
        assert.equal(verifyInclusion(tree, claim), true)
      }
    }
  })

  it("is PATH, and verifies, for any leaf of any tree", async () => {
    await fc.assert(
      fc.asyncProperty(sized, async ({ index, size: count }) => {
        const claim = await claimInclusion(index, count)
        const expected = inclusionPath(index, leaves.slice(0, count))
        assert.deepEqual(toHexes(claim.proof), toHexes(expected))
        assert.equal(verifyInclusion(tree, claim), true)
      }),
      { numRuns: 200 },
    )
  })

  it("is refused once anything of it is altered", async () => {
    await fc.assert(
      fc.asyncProperty(sized, fc.nat(), async ({ index, size: count }, choice) => {
        const claim = await claimInclusion(index, count)
        const others = [
          ...alterHashes(claim.proof, choice).map((proof) => ({ ...claim, proof })),
          { ...claim, root: flip(claim.root, choice) },
          { ...claim, leafHash: flip(claim.leafHash, choice) },
          ...[index - 1, index + 1, index + 0.5, count, -1, Number.NaN].map((at) => ({
            ...claim,
            index: at,
          })),
        ]
        for (const altered of others) assert.equal(verifyInclusion(tree, altered), false)
      }),
      { numRuns: 500 },
    )
  })

  it("of one place proves another place of another size only where the path turns the same way", async () => {
    for (let count = 1; count <= 24; count += 1) {
      for (let index = 0; index < count; index += 1) {
        const claim = await claimInclusion(index, count)
        for (let other = 1; other <= 24; other += 1) {
          for (let place = 0; place < other; place += 1) {
            // The hashes alone tell no more. A checkpoint binds a root to its size, and so a proof to its place.
            const expected = listTurns(place, other) === listTurns(index, count)
            const isProved = verifyInclusion(tree, { ...claim, index: place, size: other })
            assert.equal(isProved, expected, `${index} of ${count} as ${place} of ${other}`)
            if (other === count) assert.equal(isProved, place === index)
          }
        }
      }
    }
  })

  it("is refused for numbers that no tree has, without work", () => {
    const hash = new Uint8Array(32)
    const claim = { leafHash: hash, index: 0, size: 1, root: hash, proof: [] }
    assert.equal(verifyInclusion(tree, claim), true)
    for (const altered of [
      { ...claim, size: 0 },
      { ...claim, size: 1.5 },
      { ...claim, size: 2 ** 53 },
      { ...claim, size: Number.POSITIVE_INFINITY },
      { ...claim, size: Number.MAX_SAFE_INTEGER, proof: Array.from({ length: 55 }, () => hash) },
      { ...claim, root: new Uint8Array(0), leafHash: new Uint8Array(0) },
      { ...claim, root: new Uint8Array(33), leafHash: new Uint8Array(33) },
    ]) {
      assert.equal(verifyInclusion(createIdleTree(), altered), false)
    }
  })

  it("can't be made for a leaf that is not there", async () => {
    for (const index of [3, -1, 0.5, Number.NaN]) {
      await assert.rejects(proveInclusion(treeOf(3).source, index), RangeError)
    }
  })
})

describe("a consistency proof", () => {
  it("is PROOF, and verifies, between all trees to 40", async () => {
    for (let second = 1; second <= 40; second += 1) {
      for (let first = 1; first <= second; first += 1) {
        const claim = await claimConsistency(first, second)
        const expected = consistencyPath(first, leaves.slice(0, second))
        assert.deepEqual(toHexes(claim.proof), toHexes(expected))
        assert.equal(verifyConsistency(tree, claim), true)
      }
    }
  })

  it("is PROOF, and verifies, between any trees", async () => {
    await fc.assert(
      fc.asyncProperty(pair, async ({ first, second }) => {
        const claim = await claimConsistency(first, second)
        const expected = consistencyPath(first, leaves.slice(0, second))
        assert.deepEqual(toHexes(claim.proof), toHexes(expected))
        assert.equal(verifyConsistency(tree, claim), true)
      }),
      { numRuns: 200 },
    )
  })

  it("is refused once anything of it is altered", async () => {
    await fc.assert(
      fc.asyncProperty(pair, fc.nat(), async ({ first, second }, choice) => {
        const claim = await claimConsistency(first, second)
        const others = [
          ...alterHashes(claim.proof, choice).map((proof) => ({ ...claim, proof })),
          { ...claim, firstRoot: flip(claim.firstRoot, choice) },
          { ...claim, secondRoot: flip(claim.secondRoot, choice) },
          { ...claim, firstSize: second + 1 },
          { ...claim, firstSize: -first },
          { ...claim, firstSize: first - 0.5 },
          ...(first === second ? [] : [swapTrees(claim), { ...claim, firstSize: second }]),
        ]
        for (const altered of others) assert.equal(verifyConsistency(tree, altered), false)
      }),
      { numRuns: 500 },
    )
  })

  it("can't be made between trees that forked", async () => {
    const forked = [...leaves.slice(0, 20), ...leaves.slice(21, 300)]
    const other = buildTree(forked)
    for (const first of [21, 22, 31, 32, 33, 128, 256, 257]) {
      const proof = await proveConsistency(other.source, first)
      const claim = {
        firstSize: first,
        firstRoot: treeOf(first).root,
        secondSize: forked.length,
        secondRoot: other.root,
        proof,
      }
      assert.equal(verifyConsistency(tree, claim), false)
      const own = { ...claim, firstRoot: buildTree(forked.slice(0, first)).root }
      assert.equal(verifyConsistency(tree, own), true)
    }
  })

  it("is empty from the empty tree and to the same one, and then proves no more than that", async () => {
    const { root, source } = treeOf(5)
    assert.deepEqual(await proveConsistency(source, 0), [])
    assert.deepEqual(await proveConsistency(source, 5), [])
    const claim = {
      firstSize: 0,
      firstRoot: tree.emptyRoot,
      secondSize: 5,
      secondRoot: root,
      proof: [],
    }
    assert.equal(verifyConsistency(tree, claim), true)
    assert.equal(verifyConsistency(tree, { ...claim, firstRoot: root }), false)
    assert.equal(verifyConsistency(tree, { ...claim, proof: [root] }), false)
    const same = { ...claim, firstSize: 5, firstRoot: root }
    assert.equal(verifyConsistency(tree, same), true)
    assert.equal(verifyConsistency(tree, { ...same, proof: [root] }), false)
    assert.equal(verifyConsistency(tree, { ...same, firstRoot: tree.emptyRoot }), false)
  })

  it("can't be made from a larger tree", async () => {
    for (const first of [4, -1, 0.5]) {
      await assert.rejects(proveConsistency(treeOf(3).source, first), RangeError)
    }
  })
})

/** One bit of a hash. */
function flip(hash: Uint8Array, choice: number): Uint8Array {
  const bit = choice % (hash.length * 8)
  return hash.map((byte, place) => (place === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
}

/** Flipped, removed, doubled, added, cut and exchanged. */
function alterHashes(proof: readonly Uint8Array[], choice: number): Uint8Array[][] {
  const extra = leaves[choice % leaves.length] ?? new Uint8Array(32)
  const added = [0, choice % (proof.length + 1), proof.length].map((at) =>
    proof.toSpliced(at, 0, extra),
  )
  const place = choice % proof.length
  const hash = proof[place]
  if (hash === undefined) return added
  const altered = [
    ...added,
    proof.toSpliced(place, 1),
    proof.toSpliced(place, 0, hash),
    proof.with(place, flip(hash, choice)),
    proof.with(place, hash.subarray(1)),
    proof.slice(0, -1),
  ]
  if (proof.length === 1) return altered
  const next = (place + 1) % proof.length
  const swapped = proof.with(place, proof[next] ?? extra).with(next, hash)
  return [...altered, swapped, proof.toReversed()]
}

function swapTrees(claim: ConsistencyClaim): ConsistencyClaim {
  const { firstRoot, firstSize, secondRoot, secondSize } = claim
  return {
    ...claim,
    firstSize: secondSize,
    firstRoot: secondRoot,
    secondSize: firstSize,
    secondRoot: firstRoot,
  }
}

/** From the leaf up: whether the neighbour stands left or right. */
function listTurns(index: number, count: number): string {
  let turns = ""
  let [start, end] = [0, count]
  while (end - start > 1) {
    let split = 1
    while (2 * split < end - start) split *= 2
    const isLeft = index < start + split
    turns = `${isLeft ? "r" : "l"}${turns}`
    if (isLeft) end = start + split
    else start += split
  }
  return turns
}

/** A tree that nothing may be hashed with. */
function createIdleTree() {
  const hashNode = (): never => assert.fail("a node was hashed")
  return { ...tree, hashNode }
}
