/** The proof that the events of a task are in the signed log. */
import * as v from "valibot"
import { defineBody, described } from "./body.ts"
import { EXAMPLE_ID, unixMs, whole } from "./shapes.ts"

const TASK_PROOF_EXAMPLE = {
  format: "safelight-proof",
  version: 1,
  task: EXAMPLE_ID,
  checkpoint:
    "media.example/log\n1\nvldR7RRM0YsZ/4U0qfzVrJFMVP97qQ0Ai2uESoBBeFg=\n\n" +
    "— media.example/log Dive9IVZ8mWcmkJcjKnm/0eKf4O5rXK3qAVYyEIuRjE1SbGZs0wUZVI5pZy5t3aLfWdIIVxSUqgTgXOwu6cbi9Q=\n",
  events: [
    {
      version: 1,
      at: 1_767_225_605_000,
      type: "progressed",
      schema: 1,
      data: '{"progress":40}',
      hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      index: 0,
      proof: [],
    },
  ],
} as const

export const provenEvent = v.object({
  version: described(whole, "1, 2, 3… within the task."),
  at: unixMs,
  type: v.string(),
  schema: whole,
  data: described(v.string(), "Canonical JSON, as it is hashed: what its account may see."),
  sealed: v.optional(
    described(
      v.string(),
      "The SHA-256 of what its operator alone may see, which the hash covers; absent if there is nothing.",
    ),
  ),
  hash: described(v.string(), "64 lower-case hexadecimal digits."),
  index: described(whole, "The leaf that stands for the event, from 0."),
  proof: described(v.array(v.string()), "Hashes in base64, from the leaf's neighbour up."),
})

export const taskProof = defineBody("TaskProof", TASK_PROOF_EXAMPLE, {
  format: v.literal("safelight-proof"),
  version: v.literal(1),
  task: v.string(),
  checkpoint: described(v.string(), "The signed note that the proofs lead to."),
  events: described(
    v.array(provenEvent),
    "The task's first events, as many as the checkpoint has.",
  ),
})
