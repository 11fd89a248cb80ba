/**
 * GET /v1/tasks/{task_id}/artifacts. Expired artifacts stay listed and a failed task has none; an
 * address is made from the configured public URL, never from what a request says of its host.
 */
import { toUnixSeconds, type ArtifactRow, type TaskService } from "@safelight/core"
import type { Authenticate } from "../authentication/authenticate.ts"
import type { Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"
import { findFinished } from "./find-task.ts"
import { toTaskPath } from "./task-body.ts"

export interface ListArtifactsOptions {
  readonly service: TaskService
  readonly authenticate: Authenticate
  /** Asked at each request, since a server knows its address only once it listens. */
  readonly publicUrl: () => string
}

export function createListArtifacts(options: ListArtifactsOptions): Resource {
  const { service, authenticate, publicUrl } = options
  return {
    path: "/v1/tasks/:task/artifacts",
    methods: {
      async GET({ request, method, requestId, param }) {
        const account = await authenticate(request.headers.get("authorization"), "artifacts:read")
        const { task, artifacts } = await findFinished(service, account, param("task"))
        const base = publicUrl().replace(/\/+$/, "")
        const listed = artifacts.map((artifact) => toListed(artifact, base))
        const text = JSON.stringify({ task_id: task.id, artifacts: listed })
        return jsonResponse({ status: 200, text, requestId, method })
      },
    },
  }
}

function toListed(artifact: ArtifactRow, base: string): object {
  const path = `${toTaskPath(artifact.task)}/artifacts/${encodeURIComponent(artifact.key)}/content`
  return {
    key: artifact.key,
    type: artifact.type,
    mime_type: artifact.mimeType,
    content_url: base + path,
    expires_at: toUnixSeconds(artifact.expiresAt),
  }
}
