/** GET /v1/tasks/{task_id}/proof: that a task's events are in the signed log, for the account to keep. */
import { taskProof } from "../bodies/task-proof.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { TASK_ID } from "../request/path-parameters.ts"
import { findTask } from "./find-task.ts"

export const proveTask = defineEndpoint({
  method: "GET",
  path: "/v1/tasks/:task/proof",
  about: {
    id: "proveTask",
    tag: "Proofs",
    summary: "The proof that a task's events are in the signed log",
    description:
      "Checked with nothing but the log's public key, also once the task and the service are gone. Events of the last " +
      "minute may still lack their leaf, and those of early releases are not proved to accounts.",
  },
  key: { scopes: ["tasks:read"], rate: "read" },
  inPath: { task: TASK_ID },
  query: {},
  answers: { 200: { description: "The proof.", json: taskProof } },
  refusals: ["task_not_found", "proof_not_ready"],
}).handleWith("proofs", (proofs, { service }) => async (call) => {
  const account = call.caller.id
  await findTask(call, (id) => service.findTask({ account, id }))
  const proof = await proofs.proveTask(call.param("task"), "account")
  return call.reply(200, call.demand(proof, "proof_not_ready"))
})
