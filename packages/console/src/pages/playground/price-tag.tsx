/** What the task will cost at most, and of what that consists. */
import type { Quote } from "@safelight/client"
import type { JSX } from "preact"
import { formatMoney, Money } from "../../design/money.tsx"

export function PriceTag({ quote }: { readonly quote: Quote | undefined }): JSX.Element {
  if (quote === undefined) return <p class="price soft">The price appears as you write.</p>
  return (
    <p class="price" title={quote.lines.map(toWords).join(", ")}>
      <strong>
        <Money micros={quote.max_cost_micros} />
      </strong>{" "}
      <span class="soft">at most · {quote.lines.map(toWords).join(" + ")}</span>
    </p>
  )
}

function toWords(line: Quote["lines"][number]): string {
  const price = formatMoney(line.unit_price_micros)
  if (line.item === "image") return `${line.images ?? 0} × ${price}`
  const seconds = (line.duration_ms ?? 0) / 1000
  const what = line.item === "input_video" ? " of films put in" : ""
  return `${line.is_estimate ? "up to " : ""}${seconds} s${what} × ${price}`
}
