/** A signed log as a handler knows it: one checkpoint, one tile of two hashes, and the proof of one task. */
import type { ProofService, ProvenEvent, TaskProof } from "@safelight/core"
import { IN_DOUBT, RUNNING } from "./fake-operator-tasks.ts"

export const NOTE = "media.example/log\n2\nAA==\n\n— media.example/log AAAA\n"
export const TILE = Uint8Array.from({ length: 64 }, (_, place) => place)

export const PROVEN: ProvenEvent = {
  version: 1,
  at: 1_767_225_600_900,
  type: "progressed",
  schema: 1,
  data: '{"progress":40}',
  sealed: "cd".repeat(32),
  hash: "ab".repeat(32),
  index: 1,
  proof: ["AA=="],
}

export const PROOF: TaskProof = {
  format: "safelight-proof",
  version: 1,
  task: RUNNING,
  checkpoint: NOTE,
  events: [PROVEN],
}

export interface FakeProofs extends ProofService {
  /** Whether there is a checkpoint; at first there is one. */
  setSigned(isSigned: boolean): void
}

export function createFakeProofs(failIfAsked: () => void): FakeProofs {
  let hasCheckpoint = true
  return {
    setSigned(isSigned) {
      hasCheckpoint = isSigned
    },
    identity: { origin: "media.example/log", keys: ["media.example/log+00000000+AQ=="] },
    async findCheckpoint() {
      failIfAsked()
      return hasCheckpoint ? { size: 2, at: 1, note: NOTE } : undefined
    },
    async readTile(path) {
      failIfAsked()
      return path === "0/000.p/2" ? TILE : undefined
    },
    async proveEvents(events) {
      failIfAsked()
      if (!hasCheckpoint) return undefined
      // Every second one is younger than the checkpoint.
      const proofs = events.map(({ hash }, place) =>
        place % 2 === 0 ? { ...PROVEN, hash, index: place } : null,
      )
      return { checkpoint: NOTE, proofs }
    },
    async proveTask(task, viewer) {
      failIfAsked()
      return task === IN_DOUBT ? undefined : { ...PROOF, task, checkpoint: `${NOTE}${viewer}` }
    },
  }
}
