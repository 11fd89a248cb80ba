/**
 * Stopping work at the address that its handle keeps. A request that is only taken in says nothing of
 * what comes of it: the work may be completed all the same.
 */
import type { CancelOutcome, Json } from "@safelight/core"
import { textAt } from "./json-path.ts"
import type { ProviderRequest, Reply, Send } from "./provider.ts"

/** `read` is what the answer says; a handle without an address leaves it unknown. */
export async function cancelHandle(
  operation: Json,
  send: Send,
  method: ProviderRequest["method"],
  read: (reply: Reply) => CancelOutcome,
): Promise<CancelOutcome> {
  const path = textAt(operation, "cancel")
  return path === undefined ? "unknown" : read(await send({ method, path }))
}

/** Of a queue that answers 202 once it has taken the request in, and 400 where the work is over. */
export function readCancelRequested({ status }: Reply): CancelOutcome {
  return status === 400 ? "too-late" : "unknown"
}
