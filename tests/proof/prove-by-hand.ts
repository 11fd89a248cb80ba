/** A proof of whatever events a log's operator might sign, well hashed: also those that no log of ours has. */
import { GENESIS_HASH, hashShownEvent, type ProvenEvent, type TaskProof } from "@safelight/core"
import { sha256 as digest } from "@safelight/engine"
import {
  createTreeBuilder,
  hashEventEntry,
  proveInclusion,
  signCheckpoint,
  toBase64,
  toTilePath,
  type NoteSigner,
  type TreeSource,
} from "@safelight/proof"
import { tree } from "./sample-tree.ts"
import { NOW } from "./signed-tasks.ts"

const EVENT = { at: NOW, data: "{}", schema: 1, type: "submitted" }

/** The events have these versions; `leaves` says which place in the tree each has. */
export async function proveByHand(
  signer: NoteSigner,
  versions: readonly number[],
  leaves: readonly number[] = versions.map((_, place) => place),
): Promise<TaskProof> {
  const task = "t"
  let hash = GENESIS_HASH
  const events = versions.map((version) => {
    const event = { ...EVENT, task, version }
    hash = hashShownEvent(digest, hash, event)
    return { ...EVENT, version, hash }
  })
  const hashes = events.map((event) => hashEventEntry(tree, { ...event, task }))
  const builder = createTreeBuilder({ tree })
  for (const place of leaves.keys())
    builder.append(hashes[leaves.indexOf(place)] ?? new Uint8Array())
  const tiles = new Map(builder.partialTiles().map((tile) => [toTilePath(tile), tile.hashes]))
  const { size } = builder
  const readTile: TreeSource["readTile"] = (tile) => tiles.get(toTilePath(tile)) ?? new Uint8Array()
  const { name: origin } = signer.key
  const checkpoint = { origin, size, root: builder.root(), extensions: [] }
  const proven = events.map(async (event, place): Promise<ProvenEvent> => {
    const index = leaves[place] ?? -1
    const proof = await proveInclusion({ tree, size, readTile }, index)
    return { ...event, index, proof: proof.map(toBase64) }
  })
  return {
    format: "safelight-proof",
    version: 1,
    task,
    checkpoint: await signCheckpoint(checkpoint, [signer], NOW),
    events: await Promise.all(proven),
  }
}
