/** Cancels a task after a question, and says what came of it. */
import type { ClientCancellation } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { showToast } from "../../design/toasts.tsx"
import { useAct } from "../../design/use-act.ts"

const OUTCOMES: Readonly<Record<ClientCancellation["outcome"], string>> = {
  cancelled: "Cancelled: no provider had it, and it costs nothing.",
  stopped: "Stopped: its provider has ended the work.",
  too_late: "Too late: the work is complete.",
  unknown: "It goes on: its provider can’t stop it, or did not say.",
}

export interface CancelButtonProps {
  readonly cancel: () => Promise<{ readonly outcome: ClientCancellation["outcome"] }>
  readonly onCancelled: () => void
}

export function CancelButton({ cancel, onCancelled }: CancelButtonProps): JSX.Element {
  const isAsking = useSignal(false)
  const { isBusy, act } = useAct()

  async function ask(): Promise<void> {
    await act(async () => {
      const { outcome } = await cancel()
      showToast(OUTCOMES[outcome])
      onCancelled()
    })
    isAsking.value = false
  }

  return (
    <>
      <Button onPress={() => (isAsking.value = true)}>Cancel the task</Button>
      {isAsking.value && (
        <Dialog title="Cancel this task?" onClose={() => (isAsking.value = false)}>
          <p>Work that a provider has begun may go on, and is then charged if it succeeds.</p>
          <div class="line">
            <Button look="main" isBusy={isBusy.value} onPress={() => void ask()}>
              Cancel the task
            </Button>
            <Button onPress={() => (isAsking.value = false)}>Let it go on</Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
