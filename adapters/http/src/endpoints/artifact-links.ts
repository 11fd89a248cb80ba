/**
 * POST and DELETE /v1/tasks/{task_id}/artifacts/{artifact_key}/links: makes a private link to an artifact's
 * bytes, and revokes all of them. POST /v1/tasks/{task_id}/links makes one to each artifact of the task. A link is never
 * stored, so none can be listed, or revoked alone.
 */
import { LINK_SECONDS, toUnixSeconds, type Artifact } from "@safelight/core"
import { toContentUrl } from "../pipeline/addresses.ts"
import { artifactLink, artifactLinkList } from "../bodies/artifact.ts"
import type { Shown } from "../bodies/body.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import type { Refuse } from "../errors/refusal.ts"
import type { Services } from "../pipeline/services.ts"
import { noBody } from "../request/body-kinds.ts"
import { ARTIFACT_KEY, TASK_ID } from "../request/path-parameters.ts"
import { integer } from "../request/query-parameters.ts"
import { findFinished, findArtifact } from "./find-task.ts"

const PATH = "/v1/tasks/:task/artifacts/:key/links"

/** What makes links. */
const MAKING = {
  method: "POST",
  // A link opens what its maker may read, and nothing else.
  key: { scopes: ["links:write", "artifacts:read"], rate: "read" },
  query: {
    expires_in: integer(
      "Seconds until the link ends; it never outlives the artifact.",
      LINK_SECONDS,
    ),
  },
  body: noBody("The body is not read: put expires_in into the query."),
} as const

export const createLink = defineEndpoint({
  ...MAKING,
  path: PATH,
  about: {
    id: "createArtifactLink",
    tag: "Artifacts",
    summary: "A private link to an artifact",
    description:
      "Whoever has the link can read the artifact's bytes without a key until it ends: hand it " +
      "to a player or a page, and log it nowhere. The parameter stands in the query; a body is " +
      "refused as `unknown_parameter`.",
  },
  inPath: { task: TASK_ID, key: ARTIFACT_KEY },
  answers: {
    201: { description: "The link. It can't be shown again.", json: artifactLink },
  },
  refusals: ["task_not_found", "artifact_not_found", "task_not_finished", "artifact_expired"],
}).handle((services) => async (call) => {
  const found = await findFinished(call, services.service, call.caller.id)
  return call.reply(201, await link(services, call, findArtifact(call, found)))
})

export const createLinks = defineEndpoint({
  ...MAKING,
  path: "/v1/tasks/:task/links",
  about: {
    id: "createArtifactLinks",
    tag: "Artifacts",
    summary: "A private link to each artifact of a task",
    description:
      "As one request for each artifact would make them; where one has expired, none is made. A " +
      "failed task has none.",
  },
  inPath: { task: TASK_ID },
  answers: {
    201: { description: "The links. They can't be shown again.", json: artifactLinkList },
  },
  refusals: ["task_not_found", "task_not_finished", "artifact_expired"],
}).handle((services) => async (call) => {
  const { artifacts, task } = await findFinished(call, services.service, call.caller.id)
  const links = artifacts.map(async (artifact) => {
    const { key, mimeType: mime_type, type } = artifact
    return { key, type, mime_type, ...(await link(services, call, artifact)) }
  })
  return call.reply(201, { task_id: task.id, links: await Promise.all(links) })
})

interface LinkCall {
  readonly caller: { readonly id: string }
  readonly startedAt: number
  readonly query: { readonly expires_in: number | undefined }
  readonly refuse: Refuse<"artifact_expired">
}

/** Rejects with a `Refusal` if the artifact has expired. */
async function link(
  { links, publicUrl }: Services,
  { caller: { id: account }, query: { expires_in: seconds }, refuse, startedAt: now }: LinkCall,
  artifact: Artifact,
): Promise<Shown<typeof artifactLink>> {
  const made = await links.createLink({ account, artifact, now, seconds })
  if (made === undefined) throw refuse("artifact_expired")
  const url = toContentUrl(publicUrl(), artifact, made.token)
  return { url, expires_at: toUnixSeconds(made.endsAt) }
}

export const revokeLinks = defineEndpoint({
  method: "DELETE",
  path: PATH,
  about: {
    id: "revokeArtifactLinks",
    tag: "Artifacts",
    summary: "Revoke every private link to an artifact",
    description: "It takes no parameters: links are not stored, so none can be revoked alone.",
  },
  key: { scopes: ["links:write"], rate: "read" },
  inPath: { task: TASK_ID, key: ARTIFACT_KEY },
  // A caller who names one link or a time here would revoke all of them without knowing.
  query: {},
  body: noBody("This request takes no body."),
  answers: {
    204: {
      description: "Every link that was made until now opens nothing any more.",
      always: ["X-Request-Id", "Cache-Control"],
    },
  },
  refusals: ["task_not_found", "artifact_not_found", "task_not_finished"],
}).handle(({ service, links }) => async (call) => {
  const found = await findFinished(call, service, call.caller.id)
  const { task, key } = findArtifact(call, found)
  await links.revokeLinks({ kind: "artifact", task, key })
  return call.reply(204)
})
