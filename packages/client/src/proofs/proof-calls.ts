/** A task's proof, and whose log it is in, from the service. */
import { isSignedLog, isTaskProof } from "../api/check-proof-answers.ts"
import { toTaskPath } from "../api/paths.ts"
import type { SignedLog, TaskProof } from "../api/proof-answers.ts"
import { clientError } from "../connection/api-error.ts"
import type { Connection } from "../connection/connection.ts"
import type { CallOptions } from "../tasks/list-tasks.ts"
import { verifyTaskProof, type TaskProofVerdict } from "./verify-task-proof.ts"

export interface VerifyTaskOptions extends CallOptions {
  /** The log's public keys that you have from its operator. Without them the service's own word is taken. */
  readonly keys?: readonly string[] | undefined
  /** Public keys of witnesses that are trusted to have seen a checkpoint, and when; none by default. */
  readonly witnesses?: readonly string[] | undefined
}

export interface ProofCalls {
  /**
   * The proof that a task's events are in the signed log: a document to keep, which is worth as much without the
   * service. Rejects with `proof_not_ready` before a checkpoint has the task, and with `route_not_found` if the service
   * signs nothing.
   */
  proof(task: string, options?: CallOptions): Promise<TaskProof>
  /** The log's name and public keys, as the service says. Rejects with `route_not_found` if it signs nothing. */
  signedLog(options?: CallOptions): Promise<SignedLog>
  /**
   * Fetches a task's proof and verifies it here. Resolves to what is proved, or to the first thing that is wrong; rejects
   * as `proof` and `verifyTaskProof` do.
   */
  verifyTask(task: string, options?: VerifyTaskOptions): Promise<TaskProofVerdict>
}

const LOG_PATH = "/.well-known/safelight-log.json"

export function createProofCalls(connection: Connection): ProofCalls {
  const readProof = (id: string, { signal }: CallOptions): Promise<TaskProof> =>
    connection.read(`${toTaskPath(id)}/proof`, isTaskProof, { signal })

  const readLog = ({ signal }: CallOptions = {}): Promise<SignedLog> =>
    connection.read(LOG_PATH, isSignedLog, { signal })

  return {
    async proof(id, more = {}) {
      const proof = await readProof(id, more)
      if (proof.task === id) return proof
      throw clientError("invalid_answer", "the proof is of another task than the one asked for")
    },
    signedLog: readLog,
    async verifyTask(task, { keys, witnesses, signal } = {}) {
      const proof = await readProof(task, { signal })
      const trusted = keys === undefined ? { log: await readLog({ signal }) } : { keys }
      return verifyTaskProof(proof, { ...trusted, task, witnesses })
    },
  }
}
