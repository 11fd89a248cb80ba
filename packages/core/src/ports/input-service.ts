/**
 * What the address of a task's input leads to. Who has the address may have that one input and learns of
 * nothing else: a token is judged by its signature before anything is looked up.
 */

export interface InputService {
  /**
   * What a token is good for; `gone` past its time, undefined where this deployment did not sign it.
   * Reads no task. Rejects with `storage-unavailable`.
   */
  verifyInput(token: string): Promise<InputClaim | "gone" | undefined>
  /**
   * The input of a verified claim; `gone` once the task's inputs were erased, undefined where there is no
   * such input. All of it is in memory: whoever calls bounds how many are at a time. Rejects with
   * `storage-unavailable`.
   */
  readInput(claim: InputClaim): Promise<InputContent | "gone" | undefined>
}

export interface InputClaim {
  readonly task: string
  /** In `listMediaInputs`, from 0. */
  readonly position: number
  /** From when on it opens nothing, ms. */
  readonly expiresAt: number
}

export interface InputContent {
  /** As its data URL names it, one of `DATA_URL_TYPES`. */
  readonly mimeType: string
  readonly content: Uint8Array
}
