/** Proves the chain of hashes in this browser: the service only hands over what it stored. */
import { proveEvents, type StoredEvent } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { CopyButton } from "../../design/copy-button.tsx"

export function ChainPanel({ events }: { readonly events: readonly StoredEvent[] }): JSX.Element {
  const isProved = useSignal(false)
  const last = events.at(-1)?.hash
  // A log that has grown is another one.
  useEffect(() => {
    isProved.value = false
  }, [last])
  return (
    <section class="card stack" aria-labelledby="chain">
      <div class="line spread">
        <h2 id="chain">Proof</h2>
        <Button look="main" onPress={() => (isProved.value = true)}>
          Prove
        </Button>
      </div>
      <div role="status">
        {isProved.value ? (
          <Outcome events={events} />
        ) : (
          <p class="soft">
            Each event’s hash covers the event and the hash before it. They are computed here, from
            the log below.
          </p>
        )}
      </div>
    </section>
  )
}

function Outcome({ events }: { readonly events: readonly StoredEvent[] }): JSX.Element {
  const { brokenAt, hash, isWhole } = proveEvents(events)
  if (!isWhole) {
    return (
      <p>
        <strong>The chain is broken at event {brokenAt}.</strong> It, or the one before it, is not
        as it was sealed.
      </p>
    )
  }
  const count = events.length === 1 ? "The one event is" : `All ${events.length} events are`
  return (
    <>
      <p>
        <strong>The chain is whole.</strong> {count} as sealed. Whoever knows the last hash knows
        the whole log:
      </p>
      <p class="line">
        <code class="chain-hash">{hash}</code>
        <CopyButton text={hash} label="Copy hash" what="The hash was" />
      </p>
    </>
  )
}
