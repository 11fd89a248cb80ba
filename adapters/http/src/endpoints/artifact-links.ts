/**
 * POST and DELETE /v1/tasks/{task_id}/artifacts/{artifact_key}/links: makes a private link to an artifact's
 * bytes, and revokes all of them. A link is never stored, so none can be listed, or revoked alone.
 */
import { LINK_SECONDS, toUnixSeconds } from "@safelight/core"
import { toContentUrl } from "../pipeline/addresses.ts"
import { artifactLink } from "../bodies/artifact.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { noBody } from "../request/body-kinds.ts"
import { ARTIFACT_KEY, TASK_ID } from "../request/path-parameters.ts"
import { integer } from "../request/query-parameters.ts"
import { findFinished, findArtifact } from "./find-task.ts"

const PATH = "/v1/tasks/:task/artifacts/:key/links"

export const createLink = defineEndpoint({
  method: "POST",
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
  // A link opens what its maker may read, and nothing else.
  key: { scopes: ["links:write", "artifacts:read"], rate: "read" },
  inPath: { task: TASK_ID, key: ARTIFACT_KEY },
  query: {
    expires_in: integer(
      "Seconds until the link ends; it never outlives the artifact.",
      LINK_SECONDS,
    ),
  },
  body: noBody("The body is not read: put expires_in into the query."),
  answers: {
    201: { description: "The link. It can't be shown again.", json: artifactLink },
  },
  refusals: ["task_not_found", "artifact_not_found", "task_not_finished", "artifact_expired"],
}).handle(({ service, links, publicUrl }) => async (call) => {
  const account = call.caller.id
  const found = await findFinished(call, service, account)
  const artifact = findArtifact(call, found)
  const { startedAt: now, query } = call
  const seconds = query.expires_in
  const link = call.demand(
    await links.createLink({ account, artifact, now, seconds }),
    "artifact_expired",
  )
  const url = toContentUrl(publicUrl(), artifact, link.token)
  return call.reply(201, { url, expires_at: toUnixSeconds(link.endsAt) })
})

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
