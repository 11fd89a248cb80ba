/** "Again with other words": puts an order back into its model's form, with the prompt selected. */
import { signal } from "@preact/signals"
import { replaceRoute, toHref } from "../../router/route.ts"
import type { Order } from "./code-lines.ts"

/** What the form takes over when it sees it; each press is another object. */
export const wanted = signal<Order | undefined>(undefined)

export function again(order: Order): void {
  wanted.value = { ...order }
  replaceRoute(toHref(["playground"], { model: order.model }))
}
