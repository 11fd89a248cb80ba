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

/** The factors of a quote are the same of every line, so each line names its product. */
function toWords(line: Quote["lines"][number]): string {
  const { factors = [], is_estimate: isEstimate, unit_price_micros: unitMicros } = line
  const times = factors.filter(({ factor }) => Number(factor) !== 1)
  const product = [toQuantity(line), formatMoney(unitMicros), ...times.map(({ factor }) => factor)]
  return `${isEstimate ? "up to " : ""}${product.join(" × ")}`
}

function toQuantity(line: Quote["lines"][number]): string {
  const { characters, duration_ms: durationMs, images, item, requests, tokens } = line
  if (durationMs !== undefined) {
    return `${durationMs / 1000} s${item === "input_video" ? " of films put in" : ""}`
  }
  if (characters !== undefined) return `${characters} characters ÷ 1000`
  return tokens === undefined ? String(images ?? requests ?? 0) : `${tokens} tokens ÷ 1000`
}
