/** The parts of paths that several endpoints have, as the document names and describes them. */

export interface PathParameter {
  /** In the document; the path itself names it shorter. */
  readonly name: string
  readonly description: string
  readonly schema: object
}

export const TASK_ID: PathParameter = {
  name: "task_id",
  description: "The task's `task_id`.",
  schema: { type: "string", format: "uuid" },
}

export const ARTIFACT_KEY: PathParameter = {
  name: "artifact_key",
  description: "The artifact's `key`.",
  schema: { type: "string", examples: ["image_1", "video"] },
}

export const CHANNEL: PathParameter = {
  name: "channel",
  description: "The channel's `name`.",
  schema: { type: "string", examples: ["studio"] },
}

export const ACCOUNT: PathParameter = {
  name: "account",
  description: "The account's name.",
  schema: { type: "string", examples: ["acme"] },
}

export const API_KEY_ID: PathParameter = {
  name: "key_id",
  description: "The key's `id`, which is no secret.",
  schema: { type: "string", examples: ["4fGh7KqX2b"] },
}

export const WEBHOOK_ID: PathParameter = {
  name: "webhook_id",
  description: "The webhook's `id`.",
  schema: { type: "string", examples: ["we_3f2a9c0d5b7e41868a2b3c4d"] },
}

export const DELIVERY_ID: PathParameter = {
  name: "delivery_id",
  description: "The delivery's `id`, which is the message's `webhook-id`.",
  schema: { type: "string" },
}
