/** Every event of a task: when, how long after the one before, and what it says. */
import type { TaskEvent } from "@safelight/client"
import type { ComponentChildren, JSX } from "preact"
import { Money } from "../../design/money.tsx"
import { ExactMoment, formatDuration, Moment } from "../../design/moment.tsx"
import "./event-list.css"

export function EventList({ events }: { readonly events: readonly TaskEvent[] }): JSX.Element {
  return (
    <ol class="events">
      {events.map((event, index) => {
        const before = events[index - 1]
        return (
          <li key={event.version} class={`event ${event.type}`}>
            <span class="event-time">
              <ExactMoment atMs={event.at_ms} />
              {before !== undefined && (
                <span class="soft small number">+{formatDuration(event.at_ms - before.at_ms)}</span>
              )}
            </span>
            <span class="event-body">
              <strong>{event.type}</strong>
              {event.attempt !== undefined && <span class="soft"> attempt {event.attempt}</span>}
              {event.channel !== undefined && (
                <span>
                  {" "}
                  on <code>{event.channel}</code>
                </span>
              )}
              <EventDetails event={event} />
            </span>
          </li>
        )
      })}
    </ol>
  )
}

/** Only what the event has. */
function EventDetails({ event }: { readonly event: TaskEvent }): JSX.Element {
  const details: readonly (readonly [string, ComponentChildren] | false)[] = [
    event.because !== undefined && ["because", event.because],
    event.reason !== undefined && ["reason", <code>{event.reason}</code>],
    event.progress !== undefined && ["progress", `${event.progress} %`],
    event.retry_at_ms !== undefined && ["tried again", <ExactMoment atMs={event.retry_at_ms} />],
    event.reserved_micros !== undefined && ["reserved", <Money micros={event.reserved_micros} />],
    event.charge_micros !== undefined && ["charged", <Money micros={event.charge_micros} />],
    event.end_by_ms !== undefined && ["ends by", <Moment atMs={event.end_by_ms} />],
    event.until_ms !== undefined && ["kept until", <Moment atMs={event.until_ms} />],
    event.error !== undefined && [event.error.code, <bdi>{event.error.message}</bdi>],
  ]
  return (
    <dl class="event-details">
      {details.map(
        (detail) =>
          detail !== false && (
            <div key={detail[0]}>
              <dt>{detail[0]}</dt>
              <dd>{detail[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
