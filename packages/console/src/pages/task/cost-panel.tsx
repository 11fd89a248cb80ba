/** What a task cost and how that came about: what was used, at which price, and what was held back for it. */
import type { TaskUsage } from "@safelight/client"
import type { JSX } from "preact"
import { Money } from "../../design/money.tsx"
import { formatDuration } from "../../design/moment.tsx"
import { Facts } from "../../design/facts.tsx"

export function CostPanel({ cost }: { readonly cost: TaskUsage }): JSX.Element {
  const { charge_micros, charge_limit_micros, reserved_micros, price_version } = cost
  const isOpen = cost.finished_at === 0
  return (
    <section class="card task-panel" aria-labelledby="cost">
      <h2 id="cost">Cost</h2>
      <p class="task-amount">
        <Money micros={isOpen ? reserved_micros : charge_micros} />
        <span class="soft small"> {isOpen ? "reserved" : "charged"}</span>
      </p>
      <Facts
        facts={[
          ...toLines(cost),
          ["At most", <Money micros={charge_limit_micros} />],
          ["Prices", <code>{price_version}</code>],
        ]}
      />
    </section>
  )
}

function toLines({
  usage,
  price,
  factors = [],
  images_asked: asked,
}: TaskUsage): readonly (readonly [string, JSX.Element])[] {
  if (usage === null) return []
  const perImage = price?.per_image_micros
  const perSecond = price?.per_video_second_micros
  return [
    ...(usage.images > 0 ? [line("Images", toImages(usage.images, asked), perImage)] : []),
    ...(usage.output_video_ms > 0
      ? [line("Film", formatDuration(usage.output_video_ms), perSecond)]
      : []),
    ...toRareLines(usage, price?.per_audio_second_micros),
    ...(usage.billed_input_ms > 0
      ? [line("Films put in", formatDuration(usage.billed_input_ms), perSecond)]
      : []),
    ...(price?.per_request_micros === undefined
      ? []
      : [line("The request", "1", price.per_request_micros)]),
    ...factors.map(({ factor, param, value }) => {
      const name = param.replace(/^parameters\./, "")
      return [`× ${factor}`, <code>{value === null ? name : `${name}: ${value}`}</code>] as const
    }),
  ]
}

/** Most models use none of these. */
function toRareLines(
  { characters, output_audio_ms: audioMs, tokens }: NonNullable<TaskUsage["usage"]>,
  perSecond: number | undefined,
): readonly (readonly [string, JSX.Element])[] {
  const lines = [
    ["Sound", audioMs === undefined ? undefined : formatDuration(audioMs), perSecond],
    ["Characters", characters?.toLocaleString("en-US"), undefined],
    ["Tokens", tokens?.toLocaleString("en-US"), undefined],
  ] as const
  return lines.flatMap(([name, amount, micros]) =>
    amount === undefined ? [] : [line(name, amount, micros)],
  )
}

/** Where one could not be had, the task has the others. */
function toImages(images: number, asked: number | null): string {
  return asked !== null && images < asked ? `${images} of ${asked} asked for` : `${images}`
}

function line(
  name: string,
  amount: string,
  micros: number | undefined,
): readonly [string, JSX.Element] {
  return [
    name,
    <span>
      {amount}
      {micros !== undefined && (
        <>
          {" × "}
          <Money micros={micros} />
        </>
      )}
    </span>,
  ]
}
