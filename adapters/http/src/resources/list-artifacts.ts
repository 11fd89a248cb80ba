/**
 * GET /v1/tasks/{task_id}/artifacts. Expired artifacts stay listed and a failed task has none.
 * `content_url` needs the key, unless the account's are signed: then it is a private link itself.
 */
import {
  toUnixSeconds,
  type Account,
  type ArtifactRow,
  type Clock,
  type LinkAccess,
  type TaskService,
} from "@safelight/core"
import type { Admit } from "../authentication/admission.ts"
import type { Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"
import { toContentUrl } from "./content-url.ts"
import { findFinished } from "./find-task.ts"

export interface ListArtifactsOptions {
  readonly service: TaskService
  readonly admit: Admit
  readonly links: Pick<LinkAccess, "createLink">
  readonly clock: Pick<Clock, "now">
  /** Asked at each request, since a server knows its address only once it listens. */
  readonly publicUrl: () => string
}

export function createListArtifacts(options: ListArtifactsOptions): Resource {
  const { service, admit, links, clock, publicUrl } = options

  async function toUrl(account: Account, artifact: ArtifactRow, now: number): Promise<string> {
    const link = account.signsContentUrls
      ? await links.createLink({ account: account.id, artifact, now })
      : undefined
    return toContentUrl(publicUrl(), artifact, link?.token)
  }

  return {
    path: "/v1/tasks/:task/artifacts",
    methods: {
      async GET(exchange) {
        const now = clock.now()
        const { method, requestId, param } = exchange
        const account = await admit(exchange, { scopes: ["artifacts:read"], policy: "read" })
        const { task, artifacts } = await findFinished(service, account.id, param("task"))
        const listed = await Promise.all(
          artifacts.map(async (each) => toListed(each, await toUrl(account, each, now))),
        )
        const text = JSON.stringify({ task_id: task.id, artifacts: listed })
        return jsonResponse({ status: 200, text, requestId, method })
      },
    },
  }
}

function toListed(artifact: ArtifactRow, url: string): object {
  return {
    key: artifact.key,
    type: artifact.type,
    mime_type: artifact.mimeType,
    content_url: url,
    // Its content ends all the same when the stored moment comes.
    ...(!artifact.expiryHidden && { expires_at: toUnixSeconds(artifact.expiresAt) }),
  }
}
