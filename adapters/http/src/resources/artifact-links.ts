/**
 * POST and DELETE /v1/tasks/{task_id}/artifacts/{artifact_key}/links: a private link to an
 * artifact's bytes, and the end of all that were made for it. A link is never stored, so none of
 * them can be listed, or revoked alone.
 */
import {
  LINK_SECONDS,
  toUnixSeconds,
  type ArtifactRow,
  type Clock,
  type LinkAccess,
  type TaskService,
} from "@safelight/core"
import type { Admit } from "../authentication/admission.ts"
import { Refusal } from "../errors/refusal.ts"
import type { Exchange, Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"
import { toContentUrl } from "./content-url.ts"
import { findArtifact } from "./find-content.ts"
import { findFinished } from "./find-task.ts"
import { createQueryReader, parseInteger } from "./query-parameters.ts"

/** A link opens what its maker may read, and nothing else. */
export const LINK_SCOPES = ["links:write", "artifacts:read"] as const

export interface ArtifactLinksOptions {
  readonly service: TaskService
  readonly admit: Admit
  readonly links: Pick<LinkAccess, "createLink" | "revokeLinks">
  readonly clock: Pick<Clock, "now">
  readonly publicUrl: () => string
}

export function createArtifactLinks(options: ArtifactLinksOptions): Resource {
  const { service, admit, links, clock, publicUrl } = options

  async function find(exchange: Exchange, account: string): Promise<ArtifactRow> {
    const found = await findFinished(service, account, exchange.param("task"))
    return findArtifact(found, exchange.param("key"))
  }

  return {
    path: "/v1/tasks/:task/artifacts/:key/links",
    methods: {
      async POST(exchange) {
        const now = clock.now()
        const { request, requestId, method } = exchange
        const { id: account } = await admit(exchange, { scopes: LINK_SCOPES, policy: "read" })
        refuseBody(exchange, "The body is not read: put expires_in into the query.")
        const seconds = parseExpiresIn(request.url)
        const artifact = await find(exchange, account)
        const link = await links.createLink({ account, artifact, now, seconds })
        if (link === undefined) throw new Refusal("artifact_expired")
        const url = toContentUrl(publicUrl(), artifact, link.token)
        const text = JSON.stringify({ url, expires_at: toUnixSeconds(link.endsAt) })
        return jsonResponse({ status: 201, text, requestId, method })
      },
      async DELETE(exchange) {
        const { request, requestId } = exchange
        const { id: account } = await admit(exchange, { scopes: ["links:write"], policy: "read" })
        refuseBody(exchange, "This request takes no body.")
        // Whoever names one link or a time here would revoke all of them unawares.
        createQueryReader(request.url, []).check()
        const { task, key } = await find(exchange, account)
        await links.revokeLinks({ kind: "artifact", task, key })
        const headers = { "cache-control": "no-store", "x-request-id": requestId }
        return new Response(null, { status: 204, headers })
      },
    },
  }
}

function parseExpiresIn(url: string): number | undefined {
  const query = createQueryReader(url, ["expires_in"])
  const seconds = query.read("expires_in", (text, param) =>
    parseInteger(text, { param, min: LINK_SECONDS.min, max: LINK_SECONDS.max }),
  )
  query.check()
  return seconds
}

/** Bodies exist only for creation (http-decisions §6). */
function refuseBody({ request, node }: Exchange, message: string): void {
  const length = request.headers.get("content-length")
  const isFramed = length !== null || request.headers.has("transfer-encoding")
  // HTTP/1.1 frames a body by one of the two; a host that handed over a request may have neither.
  const hasBody =
    isFramed || node !== undefined ? isFramed && length !== "0" : request.body !== null
  if (hasBody) throw new Refusal("unknown_parameter", { message })
}
