/**
 * What a service shows of the signed tree over its log, so that a stranger can check it: public keys, the newest
 * checkpoint, tiles of hashes, and proofs that the events of a task are in it. Errors are those of `TreeStorage`.
 */
import type { ShownEvent } from "../task/stored-event.ts"
import type { KeptCheckpoint } from "./tree-storage.ts"

export interface ProofService {
  readonly identity: LogIdentity
  /** The newest that was signed; undefined before there is one. */
  findCheckpoint(): Promise<KeptCheckpoint | undefined>
  /**
   * The hashes of a tile, 32 bytes each, by its path of C2SP tlog-tiles below `tile/`: `0/x001/067`, `1/000.p/3`.
   * Undefined if there is no such tile, or it does not have so many.
   */
  readTile(path: string): Promise<Uint8Array | undefined>
  /**
   * Under the newest checkpoint, or undefined if that has no event of the task, or there is none. An account gets the
   * events before the first of an early schema, whose hash would tell it what is the operator's.
   */
  proveTask(task: string, viewer: ProofViewer): Promise<TaskProof | undefined>
  /**
   * Each of these events under the newest checkpoint, all under the same; undefined if there is none. The events are
   * taken as they are: whoever asks has read them, and knows that the account may see them.
   */
  proveEvents(events: readonly ShownEvent[]): Promise<EventProofs | undefined>
}

export type ProofViewer = "account" | "operator"

export interface LogIdentity {
  /** Names the log: the first line of its checkpoints, and the name of its key. */
  readonly origin: string
  /** With which its checkpoints are verified, as C2SP signed-note writes them, the newest first. */
  readonly keys: readonly string[]
}

/** A document that is checked with nothing but the log's public key: `packages/proof/README.md` says how. */
export interface TaskProof {
  readonly format: "safelight-proof"
  readonly version: 1
  readonly task: string
  /** The signed note. */
  readonly checkpoint: string
  /** The task's first events, as many as the checkpoint has. */
  readonly events: readonly ProvenEvent[]
}

export interface EventProofs {
  /** The signed note. */
  readonly checkpoint: string
  /** In the order of the events; null for one that the checkpoint does not have yet. */
  readonly proofs: readonly (ProvenEvent | null)[]
}

export interface ProvenEvent {
  /** 1, 2, 3… within the task. */
  readonly version: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly type: string
  readonly schema: number
  /** Canonical JSON, as it is hashed. */
  readonly data: string
  /** The SHA-256 of what is sealed of the event, which the hash covers; absent if nothing is. */
  readonly sealed?: string
  /** 64 lower-case hexadecimal digits. */
  readonly hash: string
  /** The leaf that stands for the event, from 0. */
  readonly index: number
  /** The inclusion proof: hashes in base64, from the leaf's neighbour up. */
  readonly proof: readonly string[]
}
