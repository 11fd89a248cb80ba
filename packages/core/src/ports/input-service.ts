/**
 * What the address of a task's input leads to. Whoever has the address may have that one input and learns
 * nothing else: the signature of a token is verified before anything is looked up.
 */

export interface InputService {
  /**
   * What a token says; `gone` past its time, undefined if this deployment did not sign it. Reads no task.
   * Rejects as the storage does.
   */
  verifyInput(token: string): Promise<InputClaim | "gone" | undefined>
  /**
   * The input of a verified token; `gone` once the task's inputs were erased, undefined if there is no
   * such input. All of it is in memory: the caller limits how many it reads at a time. Rejects as the
   * storage does.
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

export interface InputContent {
  /** As its data URL names it, one of `DATA_URL_TYPES`. */
  readonly mimeType: string
  readonly content: Uint8Array
}
