/** The page at the address without a fragment: the first that the key may use. Undefined until that is known. */
import { computed, type ReadonlySignal } from "@preact/signals"
import { hasScope, me } from "../session/me.ts"
import { PAGES } from "./pages.ts"

export const firstPage: ReadonlySignal<string | undefined> = computed(() => {
  if (me.value === undefined) return undefined
  return (PAGES.find(({ scope }) => hasScope(scope)) ?? PAGES[0])?.segment
})
