/** A task's proof, and whose log it is in, from the service. `verifyTaskProof` says what it proves. */
import { isSignedLog, isTaskProof } from "../api/check-proof-answers.ts"
import { toTaskPath } from "../api/paths.ts"
import type { SignedLog, TaskProof } from "../api/proof-answers.ts"
import { clientError } from "../connection/api-error.ts"
import type { Connection } from "../connection/connection.ts"
import type { CallOptions } from "../tasks/list-tasks.ts"

export interface ProofCalls {
  /**
   * The proof that a task's events are in the signed log: a document to keep, which is worth as much without the
   * service. Rejects with `proof_not_ready` before a checkpoint has the task, and with `route_not_found` if the service
   * signs nothing.
   */
  proof(task: string, options?: CallOptions): Promise<TaskProof>
  /** The log's name and public keys, as the service says. Rejects with `route_not_found` if it signs nothing. */
  signedLog(options?: CallOptions): Promise<SignedLog>
}

const LOG_PATH = "/.well-known/safelight-log.json"

export function createProofCalls(connection: Connection): ProofCalls {
  return {
    async proof(task, { signal } = {}) {
      const proof = await connection.read(`${toTaskPath(task)}/proof`, isTaskProof, { signal })
      if (proof.task === task) return proof
      throw clientError("invalid_answer", "the proof is of another task than the one asked for")
    },
    signedLog: ({ signal } = {}) => connection.read(LOG_PATH, isSignedLog, { signal }),
  }
}
