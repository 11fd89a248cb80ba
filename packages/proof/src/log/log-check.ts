/**
 * Whether the streams of a file are those of a signed checkpoint: all of its events and no others, or, of a selection,
 * some that are in it.
 */
import { fromBase64 } from "../bytes/base64.ts"
import { areSameBytes } from "../bytes/sha256.ts"
import type { Checkpoint } from "../checkpoints/checkpoint.ts"
import { refuse, type Refusal } from "../notes/refusal.ts"
import type { TreeHash } from "../tree/hash-tree.ts"
import { createLeafGatherer } from "../tree/leaf-gatherer.ts"
import { verifyInclusion } from "../tree/verify-inclusion.ts"
import { hashEventEntry } from "./event-entry.ts"

export interface LeafedStream {
  readonly task: string
  /** In order, from version 1. */
  readonly events: readonly { readonly version: number; readonly hash: string }[]
  /** Of each event. */
  readonly leaves?: readonly number[] | undefined
  /** Of these leaves, each from the leaf's neighbour up in base64: in a selection. */
  readonly proofs?: readonly (readonly string[])[] | undefined
}

export interface LogCheck {
  /** A refusal ends it: what is wrong with the stream. */
  add(stream: LeafedStream): Refusal | undefined
  /** After the last stream. */
  finish(): Refusal | undefined
}

export interface LogCheckOptions {
  readonly tree: TreeHash
  /** One that was opened: the log has signed it. */
  readonly checkpoint: Checkpoint
  /** Whether the file holds some tasks alone: then every leaf has a proof. */
  readonly isSelection: boolean
}

export function createLogCheck({ checkpoint, isSelection, tree }: LogCheckOptions): LogCheck {
  const gatherer = createLeafGatherer(tree)
  const { root, size } = checkpoint
  let provenEvents = 0

  function isProven(index: number, leafHash: Uint8Array, proof: readonly string[] = []): boolean {
    if (!isSelection) return index < size && gatherer.add(index, leafHash)
    const hashes = proof.map((text) => fromBase64(text) ?? new Uint8Array(0))
    return verifyInclusion(tree, { leafHash, index, size, root, proof: hashes })
  }

  return {
    add({ events, leaves = [], proofs = [], task }) {
      let last = -1
      for (const [place, { hash, version }] of events.entries()) {
        const index = leaves[place] ?? -1
        const leafHash = hashEventEntry(tree, { task, version, hash })
        if (index <= last || !isProven(index, leafHash, proofs[place])) {
          const where = index === -1 ? "has no leaf" : `is not leaf ${index} of the signed tree`
          return refuse("not-included", `event ${version} of task ${task} ${where}`)
        }
        last = index
      }
      provenEvents += events.length
      return undefined
    },
    finish() {
      const found = isSelection ? root : gatherer.root(size)
      if (found !== undefined && areSameBytes(found, root)) return undefined
      const reason =
        found === undefined
          ? `the checkpoint has ${size} events, of which the file has ${provenEvents}`
          : "the events make another tree than the one that was signed"
      return refuse("other-tree", reason)
    },
  }
}
