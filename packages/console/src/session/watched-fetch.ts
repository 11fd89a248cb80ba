/**
 * `fetch` as the session sees it: every answer shows that the service is there, every failed connection that it is
 * not, and a 401 that the key is no longer accepted. The answer itself is passed on unread.
 */
import type { FetchLike } from "@safelight/client"

export interface FetchWatcher {
  readonly onReached: () => void
  readonly onUnreached: () => void
  /** `code` is the service's, `api_key_revoked` for example. */
  readonly onRefusedKey: (code: string) => void
}

/** What proxies answer when the service behind them does not. */
const UNREACHED_STATUS = new Set([502, 504])

export function createWatchedFetch(watcher: FetchWatcher): FetchLike {
  return async (url, init) => {
    let response: Response
    try {
      response = await fetch(url, init)
    } catch (error) {
      if (init.signal?.aborted !== true) watcher.onUnreached()
      throw error
    }
    if (UNREACHED_STATUS.has(response.status)) watcher.onUnreached()
    else watcher.onReached()
    if (response.status === 401) watcher.onRefusedKey(await readCode(response.clone()))
    return response
  }
}

async function readCode(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as { readonly error?: { readonly code?: unknown } }
    return typeof body.error?.code === "string" ? body.error.code : "invalid_api_key"
  } catch {
    // A refusal of a proxy has no code of ours.
    return "invalid_api_key"
  }
}
