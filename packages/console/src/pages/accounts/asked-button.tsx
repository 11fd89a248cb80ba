/** A button that acts after a question, which says what would follow. */
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { showToast } from "../../design/toasts.tsx"
import { useAct } from "../../design/use-act.ts"

export interface AskedButtonProps {
  readonly verb: string
  /** For screen readers, where several buttons have one verb. */
  readonly what?: string
  readonly follows: string
  readonly act: () => Promise<unknown>
  /** Said once it is done. */
  readonly done: string
  readonly onDone?: () => void
}

export function AskedButton({
  verb,
  what,
  follows,
  act,
  done,
  onDone,
}: AskedButtonProps): JSX.Element {
  const isAsking = useSignal(false)
  const { isBusy, act: begin } = useAct()

  async function go(): Promise<void> {
    await begin(async () => {
      await act()
      showToast(done)
      onDone?.()
    })
    isAsking.value = false
  }

  return (
    <>
      <Button onPress={() => (isAsking.value = true)}>
        {verb}
        {what !== undefined && <span class="unseen"> {what}</span>}
      </Button>
      {isAsking.value && (
        <Dialog title={`${verb}?`} onClose={() => (isAsking.value = false)}>
          <p>{follows}</p>
          <div class="line">
            <Button look="main" isBusy={isBusy.value} onPress={() => void go()}>
              Yes, {verb.toLowerCase()}
            </Button>
            <Button onPress={() => (isAsking.value = false)}>Leave it</Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
