/**
 * GET /v1/tasks/{task_id}/artifacts. Expired artifacts stay listed and a failed task has none.
 * `content_url` needs the key, unless the account's are signed: then it is a private link itself.
 */
import { toUnixSeconds, type Account, type Artifact, type FoundArtifacts } from "@safelight/core"
import { toContentUrl } from "../pipeline/addresses.ts"
import { artifactList } from "../bodies/artifact.ts"
import type { Shown } from "../bodies/body.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { TASK_ID } from "../request/path-parameters.ts"
import type { Services } from "../pipeline/services.ts"
import { findFinished } from "./find-task.ts"

export const listArtifacts = defineEndpoint({
  method: "GET",
  path: "/v1/tasks/:task/artifacts",
  about: {
    id: "listArtifacts",
    tag: "Artifacts",
    summary: "The artifacts of a finished task",
  },
  key: { scopes: ["artifacts:read"], rate: "read" },
  inPath: { task: TASK_ID },
  answers: { 200: { description: "The artifacts.", json: artifactList } },
  refusals: ["task_not_found", "task_not_finished"],
}).handle((services) => async (call) => {
  const found = await findFinished(call, services.service, call.caller.id)
  return call.reply(200, await toArtifactsBody(services, call, found))
})

export async function toArtifactsBody(
  services: Services,
  { caller, startedAt }: { readonly caller: Account; readonly startedAt: number },
  { task, artifacts }: FoundArtifacts,
): Promise<Shown<typeof artifactList>> {
  const listed = artifacts.map(async (each) =>
    toListed(each, await toUrl(services, caller, each, startedAt)),
  )
  return { task_id: task.id, artifacts: await Promise.all(listed) }
}

async function toUrl(
  { links, publicUrl }: Services,
  account: Account,
  artifact: Artifact,
  now: number,
): Promise<string> {
  const link = account.signsContentUrls
    ? await links.createLink({ account: account.id, artifact, now })
    : undefined
  return toContentUrl(publicUrl(), artifact, link?.token)
}

function toListed(
  artifact: Artifact,
  url: string,
): Shown<typeof artifactList>["artifacts"][number] {
  return {
    key: artifact.key,
    type: artifact.type,
    mime_type: artifact.mimeType,
    content_url: url,
    // Its content expires at the stored moment all the same.
    ...(!artifact.expiryHidden && { expires_at: toUnixSeconds(artifact.expiresAt) }),
  }
}
