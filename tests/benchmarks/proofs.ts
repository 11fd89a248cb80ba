/**
 * `tree_leaves_per_s`, `inclusion_proof_ms` and `_p99_ms`, `inclusion_proof_bytes`, `consistency_proof_ms`,
 * `inclusion_verify_ms` and `checkpoint_10000_ms`: what proofs over a log of ten million events cost by themselves,
 * with its tiles in memory. The bytes are those of JSON with the signed checkpoint, as they are handed out.
 */
import { parseArgs } from "node:util"
import {
  createTreeBuilder,
  createTreeHash,
  hashEventEntry,
  isRefusal,
  proveConsistency,
  proveInclusion,
  readRoot,
  signCheckpoint,
  toTilePath,
  toTileWidth,
  verifyConsistency,
  verifyInclusion,
  type NoteSigner,
  type TreeSource,
} from "@safelight/proof"
import { createSignerKey, openSignerKey, sha256 } from "@safelight/proof/node"
import { median, percentile, report } from "./measure.ts"

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const SIZE = values.quick ? 100_000 : 10_000_000
const PROOFS = values.quick ? 20 : 500
const ADDED = 10_000
const ORIGIN = "safelight.example.com/log"

const tree = createTreeHash(sha256)
const tiles = new Map<string, Uint8Array>()
const source: TreeSource = {
  tree,
  size: SIZE,
  readTile(place) {
    const width = toTileWidth(place, SIZE)
    return tiles.get(toTilePath({ ...place, width })) ?? new Uint8Array()
  },
}

/** As if it were a hash: what it is made of makes no difference here. */
const sample = Buffer.alloc(32, 7)
function leafAt(index: number): Uint8Array {
  sample.writeDoubleBE(index)
  return sample
}

const builder = createTreeBuilder({ tree })
const startedAt = performance.now()
for (let index = 0; index < SIZE; index += 1) {
  for (const tile of builder.append(leafAt(index))) tiles.set(toTilePath(tile), tile.hashes)
}
const buildMs = performance.now() - startedAt
for (const tile of builder.partialTiles()) tiles.set(toTilePath(tile), tile.hashes)

const signer = readSigner()
const root = await readRoot(source)
const unsigned = { origin: ORIGIN, extensions: [] }
const checkpoint = await signCheckpoint({ ...unsigned, size: SIZE, root }, [signer], 0)

function readSigner(): NoteSigner {
  const read = openSignerKey(createSignerKey(ORIGIN))
  if (isRefusal(read)) throw new Error(read.reason)
  return read
}

/** The places that are proved, spread over the whole tree. */
const places = Array.from({ length: PROOFS }, (_, step) =>
  Math.floor(((step + 0.5) * SIZE) / PROOFS),
)
const proveMs: number[] = []
const verifyMs: number[] = []
const sizes: number[] = []
for (const index of places) {
  const before = performance.now()
  const proof = await proveInclusion(source, index)
  const between = performance.now()
  const claim = { leafHash: leafAt(index), index, size: SIZE, root, proof }
  if (!verifyInclusion(tree, claim)) throw new Error(`the proof of leaf ${index} does not verify`)
  verifyMs.push(performance.now() - between)
  proveMs.push(between - before)
  const hashes = proof.map((hash) => Buffer.from(hash).toString("base64"))
  sizes.push(JSON.stringify({ index, proof: hashes, checkpoint }).length)
}

const consistencyMs: number[] = []
for (const firstSize of places) {
  const before = performance.now()
  const proof = await proveConsistency(source, firstSize)
  consistencyMs.push(performance.now() - before)
  const firstRoot = await readRoot({ ...source, size: firstSize })
  const claim = { firstSize, firstRoot, secondSize: SIZE, secondRoot: root, proof }
  if (!verifyConsistency(tree, claim))
    throw new Error(`the proof from ${firstSize} does not verify`)
}

/** Entries hashed, tree continued from its last tiles, signed: all but reading and writing them. */
async function addCheckpoint(): Promise<number> {
  const before = performance.now()
  const next = createTreeBuilder({ tree, size: SIZE, partialTiles: builder.partialTiles() })
  for (let added = 0; added < ADDED; added += 1) {
    const task = `01a20800-0000-7000-8000-${String(added).padStart(12, "0")}`
    next.append(hashEventEntry(tree, { task, version: 1, hash: "ab".repeat(32) }))
  }
  await signCheckpoint({ ...unsigned, size: next.size, root: next.root() }, [signer], 0)
  return performance.now() - before
}
const checkpointMs: number[] = []
for (let round = 0; round < 7; round += 1) checkpointMs.push(await addCheckpoint())

report({
  tree_leaves_per_s: (SIZE / buildMs) * 1_000,
  inclusion_proof_ms: median(proveMs),
  inclusion_proof_p99_ms: percentile(proveMs, 0.99),
  inclusion_proof_bytes: Math.max(...sizes),
  inclusion_verify_ms: median(verifyMs ?? []),
  consistency_proof_ms: median(consistencyMs),
  consistency_proof_p99_ms: percentile(consistencyMs, 0.99),
  checkpoint_10000_ms: median(checkpointMs),
})
