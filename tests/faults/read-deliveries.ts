/** Reads all of a webhook's deliveries that are stored, the newest first. */
import type { Delivery, DeliveryState, WebhookStorage } from "@safelight/core"

const PAGE = 500

export async function* readDeliveries(
  storage: Pick<WebhookStorage, "listDeliveries">,
  endpoint: string,
  state?: DeliveryState,
): AsyncGenerator<Delivery> {
  let before: Delivery | undefined
  do {
    const page = await storage.listDeliveries({
      endpoint,
      limit: PAGE,
      ...(before && { before }),
      ...(state && { state }),
    })
    yield* page
    before = page.length === PAGE ? page.at(-1) : undefined
  } while (before !== undefined)
}
