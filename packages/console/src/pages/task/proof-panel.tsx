/** Verifies in this browser that the task's events are in the signed log: the service only hands over the proof. */
import { isApiError, verifyTaskProof, type ProvenTask, type TaskEvent } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { CopyButton } from "../../design/copy-button.tsx"
import { Facts } from "../../design/facts.tsx"
import { Failure } from "../../design/failure.tsx"
import { me } from "../../session/me.ts"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import { findDifference } from "./find-difference.ts"
import { pinnedKey, toFingerprint } from "./pinned-key.ts"
import { PinnedKeyForm } from "./pinned-key-form.tsx"
import "./proof-panel.css"

export interface ProofPanelProps {
  readonly task: string
  /** As the page shows them. */
  readonly events: readonly TaskEvent[]
}

const count = new Intl.NumberFormat()

/** Nothing if the service signs nothing. */
export function ProofPanel({ task, events }: ProofPanelProps): JSX.Element | null {
  /** How often the reader has asked. */
  const asked = useSignal(0)
  if (me.value?.signed_log === undefined) return null
  return (
    <section class="card task-panel" aria-labelledby="proof">
      <div class="line spread">
        <h2 id="proof">Proof</h2>
        <Button onPress={() => (asked.value += 1)}>Verify</Button>
      </div>
      <div role="status" class="proof-outcome">
        {asked.value === 0 ? (
          <p class="soft">
            The log of all tasks is signed each minute. Whether this task’s events are in it is
            computed here, in your browser.
          </p>
        ) : (
          <Outcome
            key={`${asked.value} ${pinnedKey.value}`}
            task={task}
            events={events}
            pinned={pinnedKey.value}
          />
        )}
      </div>
      <PinnedKeyForm />
    </section>
  )
}

interface OutcomeProps extends ProofPanelProps {
  /** The operator's key, from elsewhere. */
  readonly pinned: string | undefined
}

function Outcome({ task, events, pinned }: OutcomeProps): JSX.Element {
  const client = useClient()
  const { state, reload } = useLoaded(
    async (signal) => {
      if (pinned !== undefined) {
        return verifyTaskProof(await client.proof(task, { signal }), { keys: [pinned], task })
      }
      const [proof, log] = await Promise.all([
        client.proof(task, { signal }),
        client.signedLog({ signal }),
      ])
      return verifyTaskProof(proof, { log, task })
    },
    [client, task, pinned],
  )
  const { value: verdict, error } = state.value
  if (isApiError(error) && error.code === "proof_not_ready") {
    return (
      <p>
        <strong>Not signed yet.</strong> The log is signed each minute: verify it again then.
      </p>
    )
  }
  if (verdict === undefined) {
    return error === undefined ? (
      <p class="soft">Verifying…</p>
    ) : (
      <Failure error={error} onRetry={reload} />
    )
  }
  if (!verdict.isProven) return <Refused because={verdict.reason} />
  const different = findDifference(events, verdict.events)
  if (different !== undefined) {
    return <Refused because={`event ${different} above is not as it was signed`} />
  }
  return <Proven verdict={verdict} events={events} />
}

function Refused({ because }: { readonly because: string }): JSX.Element {
  return (
    <p>
      <strong>This is not proved:</strong> <bdi>{because}</bdi>.
    </p>
  )
}

function Proven({
  verdict: { checkpoint, events: proven, isPinned },
  events,
}: {
  readonly verdict: ProvenTask
  readonly events: readonly TaskEvent[]
}): JSX.Element {
  const { keys, origin, size } = checkpoint
  const [key = ""] = keys
  const newer = events.length - proven.length
  return (
    <>
      <p>
        <strong>{proven.length === 1 ? "One event is" : `${proven.length} events are`}</strong> in
        the signed log of <bdi>{origin}</bdi>, in this order, with the moments and the charge that
        are shown above.
        {newer > 0 && ` ${toNewer(newer)}`}
        {newer < 0 && ` The newest ${-newer} of them are not shown above yet: reload the page.`}
      </p>
      <Facts
        facts={[
          ["Log", <code class="proof-name">{origin}</code>],
          ["Events in the log", <span class="number">{count.format(size)}</span>],
          ["Signed by key", <code>{toFingerprint(key)}</code>],
        ]}
      />
      {isPinned ? (
        <p>
          <strong>It is signed by the key that you gave.</strong>
        </p>
      ) : (
        <p class="soft small">
          The key is this service’s own word: it came from the same server as the proof. Give the
          one that its operator gave you elsewhere.{" "}
          <CopyButton text={key} label="Copy key" what="The key was" />
        </p>
      )}
    </>
  )
}

function toNewer(newer: number): string {
  const subject = newer === 1 ? "The newest event is" : `The ${newer} newest events are`
  return `${subject} not proved yet: the log is signed each minute. Events of early releases are proved to the operator alone.`
}
