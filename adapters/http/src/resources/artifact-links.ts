/**
 * POST and DELETE /v1/tasks/{task_id}/artifacts/{artifact_key}/links: a private link to an
 * artifact's bytes, and the end of all that were made for it. A link is never stored, so none of
 * them can be listed, or revoked alone.
 */
import type { ArtifactRow, Clock, LinkStorage, TaskService } from "@safelight/core"
import type { Admit } from "../authentication/admission.ts"
import { Refusal } from "../errors/refusal.ts"
import type { Exchange, Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"
import type { PrivateLinks } from "../links/private-links.ts"
import { toContentUrl, toLinkEnd } from "./content-url.ts"
import { findArtifact } from "./find-content.ts"
import { findFinished } from "./find-task.ts"
import { createQueryReader, parseInteger } from "./query-parameters.ts"

/** How long a link opens its artifact: a day, and a week at most (http-decisions §6). */
export const LINK_SECONDS = { byDefault: 86_400, min: 1, max: 604_800 } as const

/** A link opens what its maker may read, and nothing else. */
export const LINK_SCOPES = ["links:write", "artifacts:read"] as const

export interface ArtifactLinksOptions {
  readonly service: TaskService
  readonly admit: Admit
  readonly links: PrivateLinks
  readonly storage: Pick<LinkStorage, "raiseLinkEpoch">
  readonly clock: Pick<Clock, "now">
  readonly publicUrl: () => string
}

export function createArtifactLinks(options: ArtifactLinksOptions): Resource {
  const { service, admit, links, storage, clock, publicUrl } = options

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
        const expiresIn = parseExpiresIn(request.url)
        const artifact = await find(exchange, account)
        const exp = toLinkEnd(artifact, now, expiresIn)
        if (exp === undefined) throw new Refusal("artifact_expired")
        const token = await links.sign({ account, artifact, exp })
        const url = toContentUrl(publicUrl(), artifact, token)
        const text = JSON.stringify({ url, expires_at: exp })
        return jsonResponse({ status: 201, text, requestId, method })
      },
      async DELETE(exchange) {
        const { request, requestId } = exchange
        const { id: account } = await admit(exchange, { scopes: ["links:write"], policy: "read" })
        refuseBody(exchange, "This request takes no body.")
        // Whoever names one link or a time here would revoke all of them unawares.
        createQueryReader(request.url, []).check()
        const { task, key } = await find(exchange, account)
        await storage.raiseLinkEpoch({ kind: "artifact", task, key })
        const headers = { "cache-control": "no-store", "x-request-id": requestId }
        return new Response(null, { status: 204, headers })
      },
    },
  }
}

function parseExpiresIn(url: string): number {
  const query = createQueryReader(url, ["expires_in"])
  const seconds = query.read("expires_in", (text, param) =>
    parseInteger(text, { param, min: LINK_SECONDS.min, max: LINK_SECONDS.max }),
  )
  query.check()
  return seconds ?? LINK_SECONDS.byDefault
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
