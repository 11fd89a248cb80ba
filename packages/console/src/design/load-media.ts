/**
 * Loads an artifact for showing: its bytes, whose digest the client has checked, or the address of a private link. Only
 * a large film is shown by a link, so that it plays before it is fetched and takes no memory. A key that may not make
 * links gets the bytes, and so does a page whose policy would refuse the link because it leads to another origin.
 */
import { isApiError, type Artifact, type Client } from "@safelight/client"

/** A page of films this large stays far below what a phone's browser allows a tab. */
const MOST_IN_MEMORY_BYTES = 16 * 2 ** 20

export async function loadMedia(
  client: Client,
  task: string,
  { key, type }: Pick<Artifact, "key" | "type">,
  signal: AbortSignal,
): Promise<Blob | string> {
  const artifact = client.artifact(task, key)
  if (type !== "video") return artifact.blob({ signal })
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
