/**
 * The trees of eight leaves by which implementations of Certificate Transparency are compared, with proofs that are
 * published for them. The values are those of the test data of github.com/transparency-dev/merkle.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createTreeBuilder,
  proveConsistency,
  proveInclusion,
  readRoot,
  verifyConsistency,
  verifyInclusion,
} from "@safelight/proof"
import { buildTree, toHexes, tree } from "./sample-tree.ts"

const ENTRIES = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
]
const LEAF_HASHES = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
  "0298d122906dcfc10892cb53a73992fc5b9f493ea4c9badb27b791b4127a7fe7",
  "07506a85fd9dd2f120eb694f86011e5bb4662e5c415a62917033d4a9624487e7",
  "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
  "4271a26be0d8a84f0bd54c8c302e7cb3a3b5d1fa6780a40bcce2873477dab658",
  "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f",
  "46f6ffadd3d06a09ff3c5860d2755c8b9819db7df44251788c7d8e3180de8eb1",
]
/** By the number of leaves. */
const ROOTS = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
const NODE_23 = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
const NODE_45 = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"
const NODE_67 = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
const NODE_03 = "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"
const NODE_47 = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
const [LEAF_0 = "", LEAF_1 = "", , , LEAF_4 = ""] = LEAF_HASHES

const INCLUSIONS = [
  { index: 0, size: 1, proof: [] },
  { index: 0, size: 2, proof: [LEAF_1] },
  { index: 1, size: 2, proof: [LEAF_0] },
  { index: 2, size: 3, proof: [ROOTS[2]] },
  { index: 1, size: 5, proof: [LEAF_0, NODE_23, LEAF_4] },
  { index: 0, size: 8, proof: [LEAF_1, NODE_23, NODE_47] },
  { index: 5, size: 8, proof: [LEAF_4, NODE_67, NODE_03] },
]
const CONSISTENCIES = [
  { first: 1, second: 1, proof: [] },
  { first: 1, second: 8, proof: [LEAF_1, NODE_23, NODE_47] },
  { first: 2, second: 5, proof: [NODE_23, LEAF_4] },
  { first: 6, second: 8, proof: [NODE_45, NODE_67, NODE_03] },
]

const leaves = ENTRIES.map((entry) => tree.hashLeaf(Buffer.from(entry, "hex")))
const toBytes = (hex: string | undefined): Uint8Array => Buffer.from(hex ?? "", "hex")

describe("the known tree of eight leaves", () => {
  it("has the published hashes of leaves", () => assert.deepEqual(toHexes(leaves), LEAF_HASHES))

  it("has the published root at every size, built and read from tiles", async () => {
    const builder = createTreeBuilder({ tree })
    const built = [builder.root()]
    for (const leaf of leaves) {
      assert.deepEqual(builder.append(leaf), [])
      built.push(builder.root())
    }
    assert.deepEqual(toHexes(built), ROOTS)
    const sizes = ROOTS.map((_, size) => readRoot(buildTree(leaves.slice(0, size)).source))
    assert.deepEqual(toHexes(await Promise.all(sizes)), ROOTS)
  })

  for (const { index, proof, size } of INCLUSIONS) {
    it(`has the published proof that leaf ${index} is among ${size}, which verifies`, async () => {
      const { source } = buildTree(leaves.slice(0, size))
      assert.deepEqual(toHexes(await proveInclusion(source, index)), proof)
      const [leafHash, root] = [toBytes(LEAF_HASHES[index]), toBytes(ROOTS[size])]
      const claim = { leafHash, index, size, root, proof: proof.map(toBytes) }
      assert.equal(verifyInclusion(tree, claim), true)
    })
  }

  for (const { first, proof, second } of CONSISTENCIES) {
    it(`has the published proof that ${second} leaves extend ${first}, which verifies`, async () => {
      const { source } = buildTree(leaves.slice(0, second))
      assert.deepEqual(toHexes(await proveConsistency(source, first)), proof)
      const claim = {
        firstSize: first,
        firstRoot: toBytes(ROOTS[first]),
        secondSize: second,
        secondRoot: toBytes(ROOTS[second]),
        proof: proof.map(toBytes),
      }
      assert.equal(verifyConsistency(tree, claim), true)
    })
  }
})
