/** The events of a task to the byte: what their hashes cover. */
import type { StoredEvent } from "@safelight/client"
import type { JSX } from "preact"
import { ExactMoment } from "../../design/moment.tsx"
import "./stored-events.css"

export function StoredEvents({ events }: { readonly events: readonly StoredEvent[] }): JSX.Element {
  return (
    <ol class="stored-events">
      {events.map(({ at, data, hash, sealed, type, version }) => (
        <li key={version}>
          <p class="line">
            <span class="soft number">{version}</span>
            <strong>{type}</strong>
            <span class="soft">
              <ExactMoment atMs={at} />
            </span>
          </p>
          <pre class="stored-data" tabIndex={0} aria-label={`What event ${version} says`}>
            <bdi>{indent(data)}</bdi>
          </pre>
          {sealed !== null && (
            <>
              <p class="soft small">Only operators see this; its account, a hash of it:</p>
              <pre
                class="stored-data"
                tabIndex={0}
                aria-label={`What is sealed of event ${version}`}
              >
                <bdi>{indent(sealed)}</bdi>
              </pre>
            </>
          )}
          <code class="chain-hash soft small">{hash}</code>
        </li>
      ))}
    </ol>
  )
}

/** For people; text that is not JSON is shown as it is. */
function indent(data: string): string {
  try {
    return JSON.stringify(JSON.parse(data), undefined, 2)
  } catch {
    return data
  }
}
