/** Whether the page is as narrow as a phone's. The style sheets ask the same question by the same width. */
import { signal, type ReadonlySignal } from "@preact/signals"

const query = matchMedia("(max-width: 760px)")
const narrow = signal(query.matches)
query.addEventListener("change", () => (narrow.value = query.matches))

export const isNarrow: ReadonlySignal<boolean> = narrow
