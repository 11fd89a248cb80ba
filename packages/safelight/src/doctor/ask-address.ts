/** One GET of an address that the operator configured, for its status, its clock and whether a Safelight answers. */
export type AddressAnswer =
  | {
      readonly kind: "answered"
      readonly status: number
      /** The server's clock, ms, to the second; undefined if it tells none. */
      readonly at: number | undefined
      /** What `/readyz` of a Safelight says; undefined if it was something else that answered. */
      readonly service: "ready" | "unready" | undefined
    }
  /** The code of the system or of TLS. */
  | { readonly kind: "failed"; readonly code: string }

/** `/readyz` answers with less. */
const MOST_BYTES = 4_096

/** Never rejects. */
export async function askAddress(url: string, signal: AbortSignal): Promise<AddressAnswer> {
  try {
    const answer = await fetch(url, { redirect: "manual", signal })
    const text = await readBeginning(answer)
    const at = Date.parse(answer.headers.get("date") ?? "")
    return {
      kind: "answered",
      status: answer.status,
      at: Number.isNaN(at) ? undefined : at,
      service: toService(answer.status, text),
    }
  } catch (error) {
    return { kind: "failed", code: toCode(error) }
  }
}

async function readBeginning({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk as Uint8Array)
    bytes += (chunk as Uint8Array).byteLength
    if (bytes >= MOST_BYTES) break
  }
  return Buffer.concat(chunks).toString()
}

function toService(status: number, text: string): "ready" | "unready" | undefined {
  if (status === 200 && /^\s*\{\s*"status"\s*:\s*"ready"/.test(text)) return "ready"
  return status === 503 && text.includes('"service_unavailable"') ? "unready" : undefined
}

/** `fetch` fails with an error of its own, whose cause has the code; of several addresses with one for each. */
function toCode(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ("code" in each && typeof each.code === "string") return each.code
    if (each.name === "TimeoutError" || each.name === "AbortError") return "ETIMEDOUT"
  }
  return "no HTTP"
}
