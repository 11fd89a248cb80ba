/** Asks a channel's provider whether key and models are good, and shows what it said. It buys nothing. */
import type { ChannelCheck } from "@safelight/client"
import { useSignal, type Signal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { toSentence } from "../../design/failure.tsx"
import { Mark } from "../../design/status-mark.tsx"
import { showToast } from "../../design/toasts.tsx"
import { useClient } from "../../session/session.ts"
import "./channel-check.css"

export interface CheckButtonProps {
  readonly channel: string
  readonly result: Signal<ChannelCheck | undefined>
}

export function CheckButton({ channel, result }: CheckButtonProps): JSX.Element {
  const { admin } = useClient()
  const isBusy = useSignal(false)

  async function check(): Promise<void> {
    isBusy.value = true
    try {
      result.value = await admin.checkChannel(channel)
    } catch (error) {
      result.value = undefined
      showToast(toSentence(error), { isFailure: true })
    } finally {
      isBusy.value = false
    }
  }

  return (
    <Button isBusy={isBusy.value} onPress={() => void check()}>
      Check
    </Button>
  )
}

const KEYS: Readonly<Record<NonNullable<ChannelCheck["key"]> | "unasked", string>> = {
  taken: "Its key is accepted.",
  refused: "Its key is refused.",
  unproved: "Whether its key is good can’t be told without buying something.",
  none: "It needs no key.",
  unasked: "It was not asked about its key.",
}

export function CheckResult({ check }: { readonly check: ChannelCheck | undefined }): JSX.Element {
  return (
    <div role="status">
      {check !== undefined && (
        <div class="check-result">
          {check.problems.length === 0 ? (
            <Mark look="succeeded">Checked: nothing is wrong</Mark>
          ) : (
            <Mark look="failed">Checked: something is wrong</Mark>
          )}
          <ul>
            {check.problems.map((problem) => (
              <li key={problem} class="check-problem">
                {problem}
              </li>
            ))}
            <li>{KEYS[check.key ?? "unasked"]}</li>
            {check.notes.map((note) => (
              <li key={note} class="soft">
                {note}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
