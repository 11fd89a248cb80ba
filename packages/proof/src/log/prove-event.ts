/** An event with the proof that its leaf is in a tree. */
import type { ProvenEvent, ShownEvent } from "@safelight/core"
import { toBase64 } from "../bytes/base64.ts"
import { proveInclusion } from "../tiles/prove.ts"
import type { TreeSource } from "../tiles/read-subtrees.ts"

/** Rejects as `source` does, and with a RangeError if the tree has no leaf `index`, or a tile is too short. */
export async function proveEvent(
  source: TreeSource,
  { at, data, hash, schema, sealed, type, version }: ShownEvent,
  index: number,
): Promise<ProvenEvent> {
  const proof = await proveInclusion(source, index)
  const covered = sealed === undefined ? {} : { sealed }
  return { version, at, type, schema, data, ...covered, hash, index, proof: proof.map(toBase64) }
}
