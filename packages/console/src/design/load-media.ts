/**
 * Loads an artifact for showing: its bytes, whose digest the client has checked, or the address of a private link. Only
 * a large film or sound is shown by a link, so that it plays before it is fetched and takes no memory. A key that may not make
 * links gets the bytes, and so does a page whose policy would refuse the link because it leads to another origin.
 */
import { isApiError, type Artifact, type Client, type DownloadProgress } from "@safelight/client"

/** A page of films this large stays far below what a phone's browser allows a tab. */
const MOST_IN_MEMORY_BYTES = 16 * 2 ** 20

export async function loadMedia(
  client: Client,
  task: string,
  { key, type }: Pick<Artifact, "key" | "type">,
  signal: AbortSignal,
): Promise<Blob | string> {
  const artifact = client.artifact(task, key)
  if (type !== "video" && type !== "audio") return artifact.blob({ signal })
  const large = new AbortController()
  try {
    return await artifact.blob({
      signal: AbortSignal.any([signal, large.signal]),
      onProgress: ({ totalBytes = 0 }) => {
        if (totalBytes > MOST_IN_MEMORY_BYTES) large.abort()
      },
    })
  } catch (error) {
    if (signal.aborted || !large.signal.aborted) throw error
  }
  return (await makeLink(client, task, key, signal)) ?? artifact.blob({ signal })
}

/** As much of a text as is shown. */
const EXCERPT_BYTES = 4 * 2 ** 10

export interface Excerpt {
  readonly text: string
  readonly isWhole: boolean
}

/** The beginning of a text: the rest is not fetched, and so its digest is not checked. */
export async function loadExcerpt(
  client: Client,
  task: string,
  key: string,
  signal: AbortSignal,
): Promise<Excerpt> {
  const decoder = new TextDecoder()
  const reader = (await client.artifact(task, key).stream({ signal })).getReader()
  let text = ""
  for (let bytes = 0; bytes < EXCERPT_BYTES;) {
    // oxlint-disable-next-line no-await-in-loop
    const { done, value } = await reader.read()
    if (done) return { text: text + decoder.decode(), isWhole: true }
    const piece = value.subarray(0, EXCERPT_BYTES - bytes)
    bytes += value.byteLength
    text += decoder.decode(piece, { stream: true })
    if (piece.length < value.length) break
  }
  await reader.cancel()
  return { text, isWhole: false }
}

/** How many bytes an artifact has; undefined if the service does not tell. */
export async function findSize(
  client: Client,
  task: string,
  key: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const enough = new AbortController()
  let size: number | undefined
  try {
    const onProgress = ({ totalBytes }: DownloadProgress): void => {
      size = totalBytes
      enough.abort()
    }
    const both = AbortSignal.any([signal, enough.signal])
    await client.artifact(task, key).blob({ signal: both, onProgress })
  } catch (error) {
    if (signal.aborted || !enough.signal.aborted) throw error
  }
  return size
}

/** Has the browser save an artifact: by a private link, so that it takes no memory, or else from its bytes. */
export async function saveArtifact(
  client: Client,
  task: string,
  key: string,
  fileName: string,
): Promise<void> {
  const { signal } = new AbortController()
  const url = await makeLink(client, task, key, signal)
  const made = url ?? URL.createObjectURL(await client.artifact(task, key).blob())
  const link = document.createElement("a")
  link.href = made
  link.download = fileName
  link.click()
  if (url === undefined) URL.revokeObjectURL(made)
}

/** Undefined if the key may not make links, or the page may not show this one. */
async function makeLink(
  client: Client,
  task: string,
  key: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const url = await client.artifact(task, key).url({ signal })
    return new URL(url).origin === location.origin ? url : undefined
  } catch (error) {
    if (isApiError(error) && error.code === "insufficient_scope") return undefined
    throw error
  }
}
