/** What was sent to a webhook, newest first, with every try and the beginning of its answer. */
import type { WebhookDelivery } from "@safelight/client"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Empty } from "../../design/empty.tsx"
import { ExactMoment, formatDuration, Moment } from "../../design/moment.tsx"
import "./webhooks-page.css"

export interface DeliveriesProps {
  readonly deliveries: readonly WebhookDelivery[]
  readonly onReplay: (delivery: string) => void
  readonly onReload: () => void
}

export function Deliveries({ deliveries, onReplay, onReload }: DeliveriesProps): JSX.Element {
  return (
    <section class="card stack" aria-labelledby="deliveries">
      <div class="line spread">
        <h2 id="deliveries">Deliveries</h2>
        <Button look="quiet" icon="again" onPress={onReload}>
          Look again
        </Button>
      </div>
      {deliveries.length === 0 ? (
        <Empty title="Nothing was sent yet">Send a test to see one.</Empty>
      ) : (
        <ol>
          {deliveries.map((delivery) => (
            <Delivery key={delivery.id} delivery={delivery} onReplay={onReplay} />
          ))}
        </ol>
      )}
    </section>
  )
}

const WORDS = { pending: "On its way", delivered: "Delivered", failed: "Given up" } as const

interface DeliveryProps {
  readonly delivery: WebhookDelivery
  readonly onReplay: (delivery: string) => void
}

function Delivery({ delivery, onReplay }: DeliveryProps): JSX.Element {
  const { id, type, status, created_at: createdAt, tries, next_try_at: nextTryAt } = delivery
  return (
    <li class="delivery">
      <div class="line spread">
        <span class="line">
          <strong class={`delivery-status ${status}`}>{WORDS[status]}</strong>
          <code>{type}</code>
          <span class="soft small">
            <Moment atMs={createdAt * 1000} />
            {nextTryAt !== null && (
              <>
                {", tried again "}
                <Moment atMs={nextTryAt * 1000} />
              </>
            )}
          </span>
        </span>
        <Button look="quiet" icon="again" onPress={() => onReplay(id)}>
          Send again
        </Button>
      </div>
      <ul class="soft small">
        {tries.map((each) => (
          <li key={each.at_ms}>
            <ExactMoment atMs={each.at_ms} /> · {each.status ?? each.failure} ·{" "}
            {formatDuration(each.duration_ms)}
            {each.answer !== "" && (
              <>
                {" · "}
                <bdi class="mono">{each.answer}</bdi>
              </>
            )}
          </li>
        ))}
      </ul>
    </li>
  )
}
