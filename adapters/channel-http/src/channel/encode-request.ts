/** A request as it is sent, apart from its credentials: an absolute URL, all headers, the body in bytes. */
import type { ProviderRequest } from "../declaration/provider-request.ts"

export interface EncodedRequest {
  readonly method: ProviderRequest["method"]
  readonly url: URL
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

export async function encodeRequest(
  { form, headers, json, method }: ProviderRequest,
  url: URL,
): Promise<EncodedRequest> {
  const body = form === undefined ? encodeJson(json) : await encodeForm(form)
  const common = { accept: "application/json", "user-agent": "Safelight" }
  return { method, url, headers: { ...common, ...body?.headers, ...headers }, body: body?.content }
}

function encodeJson(json: ProviderRequest["json"]) {
  if (json === undefined) return undefined
  const headers = { "content-type": "application/json" }
  return { headers, content: Buffer.from(JSON.stringify(json)) }
}

/** In bytes: undici takes no form but its own. */
async function encodeForm(form: FormData) {
  const encoded = new Response(form)
  const headers = { "content-type": encoded.headers.get("content-type") ?? "" }
  return { headers, content: Buffer.from(await encoded.arrayBuffer()) }
}
