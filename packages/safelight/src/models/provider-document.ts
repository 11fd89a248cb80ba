/**
 * A provider's own description of one of its models, as JSON of which nothing is known: out of a file, or asked of the
 * provider. It may be anybody's, so it is bounded before it is parsed.
 */
import { open } from "node:fs/promises"
import { gatherBody, parseJson } from "@safelight/core"
import { refused } from "../errors/command-error.ts"
import { toCode } from "./model-places.ts"

/** Some fifty times what a large one has. */
const MOST_BYTES = 4 * 1024 * 1024
const ANSWER_MS = 30_000

/** What is read of `place`, an address or a path, which the message of a refusal names. */
export interface ReadProviderDocument {
  readonly place: string
  readonly document: unknown
}

export async function readDocumentFile(path: string, shown: string): Promise<ReadProviderDocument> {
  let bytes: Uint8Array | undefined
  try {
    await using file = await open(path)
    bytes = await gatherBody(file.createReadStream({ autoClose: false }), MOST_BYTES)
  } catch (cause) {
    throw refused(`${shown} can't be read: ${toCode(cause)}`, cause)
  }
  return { place: shown, document: parse(bytes, shown) }
}

/** `key` is sent to that address alone: an answer that leads elsewhere is refused. */
export async function fetchDocument(
  address: string,
  key: string | undefined,
): Promise<ReadProviderDocument> {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
  let status: number
  let bytes: Uint8Array | undefined
  try {
    const answer = await fetch(address, {
      headers: { accept: "application/json", ...authorization },
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    status = answer.status
    bytes = await gatherBody(answer.body ?? new Blob().stream(), MOST_BYTES)
  } catch (cause) {
    throw refused(`${address} can't be asked: ${toCode(cause)}; --from takes a file`, cause)
  }
  if (status !== 200) throw refused(`${address} was answered ${status}${toAdvice(status)}`)
  return { place: address, document: parse(bytes, address) }
}

function toAdvice(status: number): string {
  if (status === 401 || status === 403) return ": it takes no such key"
  if (status === 404) return ": it has no such model"
  return status >= 300 && status < 400 ? ": it leads elsewhere, where the key is not sent" : ""
}

function parse(bytes: Uint8Array | undefined, place: string): unknown {
  if (bytes === undefined) throw refused(`${place} is larger than ${MOST_BYTES} bytes`)
  const document = parseJson(new TextDecoder().decode(bytes))
  if (document === undefined) throw refused(`${place} is no JSON`)
  return document
}
