/**
 * What the address of a task's input leads to. Whoever has the address may have that one input and learns
 * nothing else: the signature of a token is verified before anything is looked up.
 */
import type { ArtifactReader } from "./artifact-storage.ts"

export interface InputService {
  /**
   * What a token says; `gone` past its time, undefined if this deployment did not sign it. Reads no task.
   * Rejects as the storage does.
   */
  verifyInput(token: string): Promise<InputClaim | "gone" | undefined>
  /**
   * The input of a verified token; `gone` once the task's inputs were erased, undefined if there is no
   * such input. What its request holds itself is all in memory: the caller limits how many it reads at a time.
   * Rejects as the storage does.
   */
  readInput(claim: InputClaim): Promise<InputContent | "gone" | undefined>
}

export interface InputClaim {
  readonly task: string
  /** In `listMediaInputs`, from 0. */
  readonly position: number
  /** When the token ends, ms. */
  readonly expiresAt: number
}

export type InputContent = HeldInput | KeptInput

/** What its request holds itself. */
export interface HeldInput {
  /** As its data URL names it, one of `DATA_URL_TYPES`. */
  readonly mimeType: string
  readonly content: Uint8Array
}

/** The copy of a caller's own video, as it was measured. */
export interface KeptInput {
  /** By its first bytes. */
  readonly mimeType: string
  /** Of the whole. */
  readonly bytes: number
  /**
   * Opens bytes `start` to `end`, inclusive; `gone` once the copy was removed. The caller closes the reader.
   * Rejects with `artifacts-unavailable` if the storage of artifacts does not answer or refuses.
   */
  open(range: { readonly start: number; readonly end: number }): Promise<ArtifactReader | "gone">
}
