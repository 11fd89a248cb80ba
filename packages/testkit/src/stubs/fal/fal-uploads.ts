/**
 * fal's uploads: `initiate` answers with two URLs, one to which the bytes are put and one from which they are then
 * served. The first one needs no key. Above 90 MB the client sends parts, numbered from 1.
 */
import { randomUUID } from "node:crypto"
import type { StubCall } from "../frame/stub-call.ts"
import type { StubContext } from "../frame/stub-definition.ts"
import { openRoute, route, type StubReply, type StubRoute } from "../frame/stub-route.ts"

export function createUploadRoutes(context: StubContext): readonly StubRoute[] {
  const types = new Map<string, string>()
  const parts = new Map<string, Map<number, Buffer>>()

  function initiate(call: StubCall): StubReply {
    const { content_type: type, file_name: name } = call.fields()
    if (typeof type !== "string" || typeof name !== "string") return context.refuse("malformed")
    const id = `${randomUUID()}-${name.replaceAll(/[^\w.-]/g, "_")}`
    types.set(id, type)
    const fileUrl = context.toUrl(`/v3b.fal.media/files/${id}`)
    const uploadUrl = context.toUrl(`/v3b.fal.media/uploads/${id}?signature=stub`)
    return { json: { upload_url: uploadUrl, file_url: fileUrl } }
  }

  function put(call: StubCall): StubReply {
    const { id = "", part } = call.params
    const type = types.get(id)
    if (type === undefined) return context.refuse("not-found")
    if (part === undefined) {
      context.files.keep(id, type, call.bytes)
      return {}
    }
    parts.set(id, (parts.get(id) ?? new Map<number, Buffer>()).set(Number(part), call.bytes))
    const etag = `etag-${part}`
    return { headers: { etag }, json: { partNumber: Number(part), etag } }
  }

  function complete(call: StubCall): StubReply {
    const { id = "" } = call.params
    const received = parts.get(id)
    if (received === undefined) return context.refuse("not-found")
    const ordered = [...received].toSorted(([one], [other]) => one - other)
    const bytes = Buffer.concat(ordered.map(([, part]) => part))
    context.files.keep(id, types.get(id) ?? "application/octet-stream", bytes)
    return { json: {} }
  }

  return [
    route("other", "POST /storage/upload/initiate", initiate),
    route("other", "POST /storage/upload/initiate-multipart", initiate),
    openRoute("other", "PUT /uploads/{id}", put),
    openRoute("other", "PUT /uploads/{id}/{part}", put),
    openRoute("other", "POST /uploads/{id}/complete", complete),
  ]
}
