/**
 * The program of a process that measures: one medium at a time, read through the host. This file is started,
 * never imported.
 */
import { serveOrders } from "@safelight/host/child"
import { createAskingReader } from "./ask-host.ts"
import { measureMedia } from "./measure-media.ts"
import type { Order } from "./messages.ts"

await serveOrders(async (order, host) => {
  const reader = createAskingReader(host)
  const result = await measureMedia({ ...(order as Order), read: reader.read })
  await reader.finish()
  return result
})
