/** How a handler that waits learns that nobody waits for its answer any more. */
import type { Exchange } from "./exchange.ts"

/** Calls `listener` once the caller has left, as far as the host can tell. Returns how to stop. */
export function onLeft({ host, request }: Exchange, listener: () => void): () => void {
  if (host !== undefined) return host.server.onLeft(host.node, listener)
  const { signal } = request
  if (signal.aborted) listener()
  signal.addEventListener("abort", listener)
  return () => signal.removeEventListener("abort", listener)
}
